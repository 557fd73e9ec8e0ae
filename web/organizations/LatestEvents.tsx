import { useQuery } from '@tanstack/react-query'
import { useCaller } from '../shared/api/caller.ts'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Skeleton } from '../shared/components/Skeleton.tsx'
import { moment } from '../shared/format/moment.ts'
import { eventSentence } from './event-sentence.ts'
import { eventsQuery } from './queries.ts'

export function LatestEvents({ organizationId }: { organizationId: string }) {
  const { user } = useCaller()
  const { data, error, isPending, refetch } = useQuery(eventsQuery(organizationId))
  return (
    <section className="card" aria-labelledby="events">
      <h2 id="events">What happened last</h2>
      {isPending && <Skeleton lines={5} />}
      {error && <FailureNotice error={error} retry={refetch} />}
      {data?.events.length === 0 && <p className="soft">Nothing is recorded yet.</p>}
      <ul className="rows">
        {data?.events.map((event) => (
          <li key={event.id} className="row">
            <p className="row-text">{eventSentence(event, user.id)}</p>
            <p className="soft">{moment(new Date(event.createdAt))}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
