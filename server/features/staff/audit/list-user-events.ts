import type { Static } from 'typebox'
import type { Caller } from '../../../core/access/caller.ts'
import { hasStaffPermission } from '../../../core/access/staff-permissions.ts'
import type { AuditAction } from '../../../core/audit/actions.ts'
import type { Context } from '../../../core/context.ts'
import { getUser } from '../../../core/users/find-user.ts'
import { assertMayManageUser } from '../../../core/users/lock-managed-user.ts'
import { readPastStaff } from '../../../core/users/past-staff.ts'
import type { Page } from '../../../platform/http/paging.ts'
import { listAuditEvents } from './list-audit-events.ts'
import type { ListAuditEventsResponse } from './schemas.ts'

type ResponseBody = Static<typeof ListAuditEventsResponse>
type Event = ResponseBody['events'][number]

/**
 * Hides the networks of other users from support, who may not read the audit log. A former staff member counts as
 * another user for events before the role ended.
 * @throws ApiError USER_NOT_FOUND; STAFF_IS_FOR_ADMINS
 */
export async function listUserEvents(
  context: Context,
  caller: Caller,
  filter: { userId: string; action?: AuditAction },
  page: Page,
): Promise<ResponseBody> {
  const { userId } = filter
  const user = await getUser(context.database, userId)
  assertMayManageUser(caller.user, user)
  const response = await listAuditEvents(context, filter, page)
  if (hasStaffPermission(caller.user.role, 'audit.list')) return response
  const wasStaff = await readWasStaff(context, userId, response.events)
  const isShown = (event: Event) => isOwn(event, userId) && !wasStaff(event)
  return { ...response, events: response.events.map((event) => (isShown(event) ? event : withoutNetwork(event))) }
}

/** An event without an actor counts as the user's own. */
async function readWasStaff(
  { slowReads }: Context,
  userId: string,
  events: Event[],
): Promise<(event: Event) => boolean> {
  const toActorEvent = ({ actorId, createdAt }: Event) => ({
    actorId: actorId ?? userId,
    createdAt: Date.parse(createdAt),
  })
  const wasStaff = await readPastStaff(slowReads, events.map(toActorEvent))
  return (event) => wasStaff(toActorEvent(event))
}

function isOwn({ actorId, impersonatedBy }: Event, userId: string): boolean {
  return (actorId === null || actorId === userId) && impersonatedBy === null
}

function withoutNetwork(event: Event): Event {
  return { ...event, ipAddress: null, userAgent: null, requestId: null }
}
