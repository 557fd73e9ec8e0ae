import type { Static } from 'typebox'
import { Link } from 'wouter'
import type { ListAuditEventsResponse } from '../../../server/features/staff/audit/schemas.ts'
import { type Column, DataTable } from '../../shared/components/DataTable.tsx'
import { EmptyState } from '../../shared/components/EmptyState.tsx'
import { moment } from '../../shared/format/moment.ts'
import { eventSentence } from './event-sentence.ts'
import type { ListProps } from './use-page.ts'

export type EventPage = Static<typeof ListAuditEventsResponse>
type Event = EventPage['events'][number]

type EventListProps = ListProps<EventPage> & {
  caption: string
  /** Whether events have links to the audit log. For administrators. */
  hasLinks: boolean
}

export function EventList({ caption, page, offset, limit, hasLinks, ...table }: EventListProps) {
  return (
    <DataTable
      caption={caption}
      columns={hasLinks ? [WHEN, LINKED_WHAT, FROM] : [WHEN, WHAT, FROM]}
      rows={page?.events}
      rowKey={({ id }) => id}
      page={{ offset, limit, hasMore: page?.hasMore }}
      empty={<EmptyState title="No such events" />}
      {...table}
    />
  )
}

const WHEN: Column<Event> = {
  key: 'createdAt',
  label: 'When',
  isShort: true,
  cell: ({ createdAt }) => moment(new Date(createdAt)),
}
const WHAT: Column<Event> = { key: 'what', label: 'What', cell: (event) => <What event={event} hasLinks={false} /> }
const LINKED_WHAT: Column<Event> = { ...WHAT, cell: (event) => <What event={event} hasLinks /> }
const FROM: Column<Event> = { key: 'ipAddress', label: 'From', cell: ({ ipAddress }) => ipAddress }

function What({ event, hasLinks }: { event: Event; hasLinks: boolean }) {
  const details = Object.entries(event.details)
  return (
    <details className="event">
      <summary>{eventSentence(event)}</summary>
      <dl className="facts">
        <Fact name="Action" value={event.action} />
        <Fact name="Actor" value={event.actorId} />
        <Fact name="Impersonated by" value={event.impersonatedBy} />
        <Fact name="Subject" value={event.subjectId} />
        <Fact name="Organization" value={event.organizationId} />
        <Fact name="Browser" value={event.userAgent} />
        {details.map(([name, value]) => (
          <Fact key={name} name={name} value={detailText(name, value)} />
        ))}
      </dl>
      {hasLinks && <EventLinks event={event} />}
    </details>
  )
}

/** The names of times end with `At`, as those of the columns do. */
function detailText(name: string, value: unknown): string {
  if (typeof value === 'number' && name.endsWith('At')) return moment(new Date(value))
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function EventLinks({ event: { requestId, actorId, impersonatedBy, subjectId } }: { event: Event }) {
  return (
    <ul className="event-links">
      <EventLink id={requestId} label="Everything of this request" />
      <EventLink id={actorId} label="Everything of the actor" />
      <EventLink id={impersonatedBy} label="Everything of the impersonator" />
      {subjectId !== actorId && <EventLink id={subjectId} label="Everything of the subject" />}
    </ul>
  )
}

function EventLink({ id, label }: { id: string | null; label: string }) {
  if (id === null) return null
  return (
    <li>
      <Link href={`/staff/audit?id=${id}`}>{label}</Link>
    </li>
  )
}

function Fact({ name, value }: { name: string; value: string | null }) {
  if (value === null) return null
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  )
}
