import { EventList, type EventPage } from '../common/EventList.tsx'
import { useIsAdministrator } from '../common/use-is-administrator.ts'
import { usePage } from '../common/use-page.ts'
import type { StaffUser } from './queries.ts'

export function History({ user: { id } }: { user: StaffUser }) {
  const list = usePage<EventPage>('list-user-events', { userId: id })
  return <EventList caption="Events of this user" hasLinks={useIsAdministrator()} {...list} />
}

export function Impersonations({ user: { id } }: { user: StaffUser }) {
  const list = usePage<EventPage>('list-user-events', { userId: id, action: 'impersonation.started' })
  return <EventList caption="Impersonations of this user" hasLinks={useIsAdministrator()} {...list} />
}
