import type { Static } from 'typebox'
import type { Caller } from '../../../core/access/caller.ts'
import { hasStaffPermission } from '../../../core/access/staff-permissions.ts'
import type { AuditAction } from '../../../core/audit/actions.ts'
import type { Context } from '../../../core/context.ts'
import { findUser } from '../../../core/users/find-user.ts'
import { assertCanManage } from '../../../core/users/lock-managed-user.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import type { Page } from '../../../platform/http/paging.ts'
import { listAuditEvents } from './list-audit-events.ts'
import type { ListAuditEventsAnswer } from './schemas.ts'

type Answer = Static<typeof ListAuditEventsAnswer>

/**
 * The events whose actor, subject or impersonator is a user. Support may not read the audit log, so they do not see the
 * networks of other users, such as administrators.
 * @throws ApiError USER_NOT_FOUND; STAFF_IS_FOR_ADMINS
 */
export async function listUserEvents(
  context: Context,
  caller: Caller,
  filter: { userId: string; action?: AuditAction },
  page: Page,
): Promise<Answer> {
  const { userId } = filter
  const user = await findUser(context.database, userId)
  if (!user) throw new ApiError('USER_NOT_FOUND', { field: 'userId' })
  assertCanManage(caller.user, user)
  const answer = await listAuditEvents(context, filter, page)
  if (hasStaffPermission(caller.user.role, 'audit.list')) return answer
  return { ...answer, events: answer.events.map((event) => (isOwn(event, userId) ? event : withoutNetwork(event))) }
}

function isOwn({ actorId, impersonatedBy }: Answer['events'][number], userId: string): boolean {
  return (actorId === null || actorId === userId) && impersonatedBy === null
}

function withoutNetwork(event: Answer['events'][number]): Answer['events'][number] {
  return { ...event, ipAddress: null, userAgent: null, requestId: null }
}
