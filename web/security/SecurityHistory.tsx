import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Skeleton } from '../shared/components/Skeleton.tsx'
import { moment } from '../shared/format/moment.ts'
import { eventSentence } from './event-sentence.ts'
import { hasPasswordQuery, type SecurityEvent, securityEventsQuery } from './queries.ts'

export function SecurityHistory() {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage, isFetchNextPageError } =
    useInfiniteQuery(securityEventsQuery)
  const { data: hasPassword = true } = useQuery(hasPasswordQuery)
  return (
    <section className="card" aria-labelledby="history">
      <h2 id="history">What happened to your account</h2>
      <p className="soft">
        The last 90 days. If you don’t know one of these,{' '}
        {hasPassword ? 'change your password' : 'remove each passkey that isn’t yours'}.
      </p>
      {isPending && <Skeleton lines={6} />}
      <ul className="rows">
        {withoutRepeated(data?.pages.flatMap(({ events }) => events) ?? []).map((event) => (
          <EventRow key={event.id} event={event} />
        ))}
      </ul>
      {error && <FailureNotice error={error} retry={isFetchNextPageError ? fetchNextPage : refetch} />}
      {hasNextPage && (
        <ActionButton
          kind="quiet"
          isPending={isFetchingNextPage}
          pendingLabel="Loading…"
          onPress={() => void fetchNextPage()}
        >
          Show earlier events
        </ActionButton>
      )}
    </section>
  )
}

/** A new event moves the earlier events, and the next page repeats some of them. */
function withoutRepeated(events: SecurityEvent[]): SecurityEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()]
}

function EventRow({ event }: { event: SecurityEvent }) {
  const { createdAt, ipAddress } = event
  return (
    <li className="row">
      <div className="row-text">
        <p>{eventSentence(event)}</p>
        <p className="soft">
          <span>{moment(new Date(createdAt))}</span> {ipAddress && <span>from {ipAddress}</span>}
        </p>
      </div>
    </li>
  )
}
