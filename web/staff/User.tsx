import { useQuery } from '@tanstack/react-query'
import { useParams } from 'wouter'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { FramePage } from '../shared/components/FramePage.tsx'
import { Skeleton } from '../shared/components/Skeleton.tsx'
import { moment } from '../shared/format/moment.ts'
import { userQuery } from './queries.ts'

export function User() {
  const { id } = useParams<{ id: string }>()
  const { data, error, isPending, refetch } = useQuery(userQuery(id))
  const user = data?.user
  return (
    <FramePage heading={user?.name ?? 'User'}>
      {isPending && <Skeleton lines={4} />}
      {error && <FailureNotice error={error} retry={refetch} />}
      {user && (
        <section className="card" aria-labelledby="user">
          <h2 id="user">{user.banned ? 'Banned' : 'Active'}</h2>
          <dl className="facts">
            <dt>Email address</dt>
            <dd>
              {user.email}, {user.emailVerified ? 'verified' : 'not verified'}
            </dd>
            <dt>Role</dt>
            <dd>{user.role}</dd>
            <dt>Created</dt>
            <dd>{moment(new Date(user.createdAt))}</dd>
            <dt>Id</dt>
            <dd>{user.id}</dd>
          </dl>
        </section>
      )}
    </FramePage>
  )
}
