import type { Static } from 'typebox'
import { isStaff } from '../../../core/access/staff-permissions.ts'
import type { AuditAction } from '../../../core/audit/actions.ts'
import { OPERATOR } from '../../../core/audit/actor.ts'
import { listRecordedEvents, type RecordedEvent } from '../../../core/audit/list-events.ts'
import type { Context } from '../../../core/context.ts'
import { listUsersById } from '../../../core/users/find-user.ts'
import { readPastStaff } from '../../../core/users/past-staff.ts'
import { type Page, readUncountedPage } from '../../../platform/http/paging.ts'
import { toIso } from '../../../platform/http/time.ts'
import { describeDevice } from '../../../platform/http/user-agent.ts'
import { DAY_MILLISECONDS } from '../../../platform/time/time-units.ts'
import type { ListSecurityEventsResponse } from './schemas.ts'
import { ANYONE_ACTIONS, SHOWN_ACTIONS, SHOWN_DETAILS, STAFF_ACTIONS } from './shown-events.ts'

const SHOWN_MILLISECONDS = 90 * DAY_MILLISECONDS

/** Reads off the main thread, because the user and the actors may have any number of events. */
export async function listSecurityEvents(
  context: Context,
  userId: string,
  page: Page,
): Promise<Static<typeof ListSecurityEventsResponse>> {
  const filter = { subjectId: userId, actions: SHOWN_ACTIONS, from: context.now() - SHOWN_MILLISECONDS }
  const read = (more: Page) => listRecordedEvents({ database: context.slowReads }, filter, more)
  const { rows, hasMore } = await readUncountedPage(page, read)
  const isByStaff = await readIsByStaff(context, rows, userId)
  return { events: rows.map((event) => toSecurityEvent(event, userId, isByStaff(event))), ...page, hasMore }
}

/** The function says whether the actor of an event is another user, who is staff now or was staff then. */
async function readIsByStaff(
  { database, slowReads }: Context,
  events: RecordedEvent[],
  userId: string,
): Promise<(event: RecordedEvent) => boolean> {
  const ofOthers = events.filter(({ actorId }) => actorId !== null && actorId !== userId)
  const users = await listUsersById(database, [...new Set(ofOthers.map(({ actorId }) => actorId ?? ''))])
  const staffIds = new Set(users.filter(isStaff).map(({ id }) => id))
  const wasStaff = await readPastStaff(slowReads, ofOthers)
  return (event) => staffIds.has(event.actorId ?? '') || wasStaff(event)
}

function toSecurityEvent(event: RecordedEvent, userId: string, isActorStaff: boolean) {
  const { id, createdAt, action, actorId, ipAddress, userAgent, details } = event
  const impersonated = event.impersonatedBy !== null
  const isByOther = actorId !== null && actorId !== userId
  const isByStaff = isByOther && (STAFF_ACTIONS.has(action) || isActorStaff)
  const byStaff = impersonated || isByStaff || isByOperator(event)
  // Another actor may have left the staff. Its network is shown only for actions that any client can cause.
  const showsClient = !byStaff && (!isByOther || ANYONE_ACTIONS.has(action))
  return {
    id,
    createdAt: toIso(createdAt),
    action,
    ipAddress: showsClient ? ipAddress : null,
    device: showsClient && ipAddress !== null && userAgent !== null ? describeDevice(userAgent) : null,
    byStaff,
    impersonated,
    details: pickDetails(action, details),
  }
}

/** Every request has a network address, so no client can pose as the command line. */
function isByOperator({ ipAddress, userAgent }: RecordedEvent): boolean {
  return ipAddress === null && userAgent === OPERATOR.userAgent
}

function pickDetails(action: AuditAction, details: RecordedEvent['details']): Record<string, unknown> {
  const shown = SHOWN_DETAILS[action] ?? []
  return Object.fromEntries(Object.entries(details).filter(([name]) => shown.includes(name)))
}
