import type { Kysely } from 'kysely'
import type { ServiceRole, Tables } from '../../platform/database/tables.ts'
import { isStaff } from '../access/staff-permissions.ts'
import { listRoleEndings } from '../audit/filtered-events-store.ts'
import type { RecordedEvent } from '../audit/list-events.ts'

type ActorEvent = Pick<RecordedEvent, 'actorId' | 'createdAt'>

/**
 * Staff stay staff in their events after their role has ended. The first later event that changes the role, or deletes
 * the actor, has the role of that time.
 * @returns a function that says whether the actor of an event was staff until such a later event
 */
export async function readPastStaff(
  database: Kysely<Tables>,
  events: ActorEvent[],
): Promise<(event: ActorEvent) => boolean> {
  const actorIds = new Set(events.flatMap(({ actorId }) => (actorId === null ? [] : [actorId])))
  const from = Math.min(...events.map(({ createdAt }) => createdAt))
  const endings = (await listRoleEndings(database, [...actorIds], from)).map(({ details, ...event }) => ({
    ...event,
    details: JSON.parse(details) as { before?: ServiceRole; role?: ServiceRole },
  }))
  const byActor = Map.groupBy(endings, ({ subjectId }) => subjectId)
  return ({ actorId, createdAt }) => {
    const next = byActor.get(actorId)?.find((ending) => ending.createdAt >= createdAt)
    const role = next?.details.before ?? next?.details.role
    return role !== undefined && isStaff({ role })
  }
}
