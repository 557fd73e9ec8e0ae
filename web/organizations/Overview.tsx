import { useQuery } from '@tanstack/react-query'
import { useParams } from 'wouter'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { FramePage } from '../shared/components/FramePage.tsx'
import { Skeleton } from '../shared/components/Skeleton.tsx'
import { organizationQuery } from './queries.ts'

export function Overview() {
  const { slug } = useParams<{ slug: string }>()
  const { data: organization, error, isPending, refetch } = useQuery(organizationQuery(slug))
  return (
    <FramePage heading={organization?.name ?? slug}>
      {isPending && <Skeleton lines={3} />}
      {error && <FailureNotice error={error} retry={refetch} />}
      {organization && (
        <section className="card" aria-labelledby="numbers">
          <h2 id="numbers">At a glance</h2>
          <dl className="facts">
            <dt>Members</dt>
            <dd>{organization.members.length}</dd>
            <dt>Open invitations</dt>
            <dd>{organization.invitations.filter(({ status }) => status === 'pending').length}</dd>
          </dl>
        </section>
      )}
    </FramePage>
  )
}
