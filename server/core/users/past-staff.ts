import type { Kysely } from 'kysely'
import type { ServiceRole, Tables } from '../../platform/database/tables.ts'
import { isStaff } from '../access/staff-permissions.ts'
import { listRoleEndings } from '../audit/filtered-events-store.ts'
import type { RecordedEvent } from '../audit/list-events.ts'

type ActorEvent = Pick<RecordedEvent, 'actorId' | 'createdAt'>

/** Staff stay staff in their events: the next event that changes the role or deletes the actor has the former role. */
export async function readPastStaff(
  database: Kysely<Tables>,
  events: ActorEvent[],
): Promise<(event: ActorEvent) => boolean> {
  const byActor = await readRoleEndings(database, events)
  return ({ actorId, createdAt }) =>
    byActor.get(actorId)?.find((ending) => ending.createdAt >= createdAt)?.wasStaff ?? false
}

/** @returns a function that says whether the actor of an event was staff then or later, in a role that has ended */
export async function readPastStaffSince(
  database: Kysely<Tables>,
  events: ActorEvent[],
): Promise<(event: ActorEvent) => boolean> {
  const byActor = await readRoleEndings(database, events)
  return ({ actorId, createdAt }) =>
    byActor.get(actorId)?.some((ending) => ending.createdAt >= createdAt && ending.wasStaff) ?? false
}

async function readRoleEndings(database: Kysely<Tables>, events: ActorEvent[]) {
  const actorIds = new Set(events.flatMap(({ actorId }) => (actorId === null ? [] : [actorId])))
  const from = Math.min(...events.map(({ createdAt }) => createdAt))
  const endings = (await listRoleEndings(database, [...actorIds], from)).map(({ details, ...event }) => ({
    ...event,
    wasStaff: isStaffEnding(JSON.parse(details)),
  }))
  return Map.groupBy(endings, ({ subjectId }) => subjectId)
}

function isStaffEnding({ before, role: deleted }: { before?: ServiceRole; role?: ServiceRole }): boolean {
  const role = before ?? deleted
  return role !== undefined && isStaff({ role })
}
