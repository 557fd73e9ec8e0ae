import { useQuery } from '@tanstack/react-query'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Skeleton } from '../shared/components/Skeleton.tsx'
import { moment } from '../shared/format/moment.ts'
import { impersonationsQuery } from './queries.ts'

export function ImpersonationSection() {
  const { data: impersonations, error, isPending, refetch } = useQuery(impersonationsQuery)
  return (
    <section className="card" aria-labelledby="impersonations">
      <h2 id="impersonations">Who impersonated you</h2>
      <p className="soft">
        To help you, administrators of this service can see your account as you do. You always see here when they did.
      </p>
      {isPending && <Skeleton lines={1} />}
      {error && <FailureNotice error={error} retry={refetch} />}
      {impersonations?.length === 0 && <p>No administrator has impersonated you.</p>}
      <ul className="rows">
        {impersonations?.map(({ id, impersonatedByName, startedAt, endedAt }) => (
          <li key={id} className="row">
            <div className="row-text">
              <p>{impersonatedByName ?? 'An administrator who has left'}</p>
              <p className="soft">
                <span>From {moment(new Date(startedAt))}</span>{' '}
                <span>{endedAt === null ? 'until now' : `to ${moment(new Date(endedAt))}`}</span>
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
