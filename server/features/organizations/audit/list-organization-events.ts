import { isStaff } from '../../../core/access/staff-permissions.ts'
import type { AuditFilter } from '../../../core/audit/filtered-events-store.ts'
import { kindOfSubject, listRecordedEvents, type RecordedEvent } from '../../../core/audit/list-events.ts'
import type { Context } from '../../../core/context.ts'
import { readPastStaff } from '../../../core/users/past-staff.ts'
import { type Page, readUncountedPage } from '../../../platform/http/paging.ts'
import { listNamedApiKeys, listNamedInvitations, listNamedUsers, type NamedUser } from './store.ts'

/** Shows no ids of requests and sessions, no identity of staff, and no network of users who are not members. */
export interface OrganizationEvent
  extends Pick<RecordedEvent, 'id' | 'createdAt' | 'action' | 'actorId' | 'subjectId' | 'ipAddress' | 'details'> {
  actorName: string | null
  byStaff: boolean
  subjectName: string | null
}

export async function listOrganizationEvents(
  { slowReads }: Context,
  filter: AuditFilter & { organizationId: string },
  page: Page,
): Promise<{ events: OrganizationEvent[]; hasMore: boolean }> {
  const read = (more: Page) => listRecordedEvents({ database: slowReads }, filter, more)
  const { rows: events, hasMore } = await readUncountedPage(page, read)
  const { organizationId } = filter
  const idsOf = (id: string | null) => (id === null ? [] : [id])
  const userIds = new Set(events.flatMap(({ actorId, subjectId }) => [...idsOf(actorId), ...idsOf(subjectId)]))
  const subjectIds = [...new Set(events.flatMap(({ subjectId }) => idsOf(subjectId)))]
  const users = await listNamedUsers(slowReads, organizationId, [...userIds])
  // Imported ids need not differ between these tables.
  const names = {
    usr: namesById(users),
    inv: namesById(await listNamedInvitations(slowReads, organizationId, subjectIds)),
    apk: namesById(await listNamedApiKeys(slowReads, organizationId, subjectIds)),
  }
  const nameOfSubject = (event: RecordedEvent) =>
    names[kindOfSubject(event) as keyof typeof names]?.get(event.subjectId ?? '') ?? null
  const userOf = new Map(users.map((user) => [user.id, user]))
  const isOther = ({ actorId }: RecordedEvent) => !userOf.get(actorId ?? '')?.memberRole
  const wasStaff = await readPastStaff(slowReads, events.filter(isOther))
  return {
    events: events.map((event) => ({
      ...withoutStaff(event, userOf.get(event.actorId ?? ''), wasStaff(event)),
      subjectName: nameOfSubject(event),
    })),
    hasMore,
  }
}

function namesById(rows: { id: string; name: string }[]): Map<string, string> {
  return new Map(rows.map(({ id, name }) => [id, name]))
}

function withoutStaff(
  event: RecordedEvent,
  actor: NamedUser | undefined,
  wasStaff: boolean,
): Omit<OrganizationEvent, 'subjectName'> {
  const { id, createdAt, action, actorId, subjectId } = event
  const { sessionId: _, ...details } = event.details
  const shown = { id, createdAt, action, subjectId, details }
  const isStaffOnly = actor !== undefined && actor.memberRole === null && isStaff(actor)
  if (isStaffOnly || wasStaff) return { ...shown, actorId: null, actorName: null, byStaff: true, ipAddress: null }
  const byStaff = event.impersonatedBy !== null
  // An actor who is no member has declined an invitation, or has left.
  const isMember = actor !== undefined && actor.memberRole !== null
  const ipAddress = isMember && !byStaff ? event.ipAddress : null
  return { ...shown, actorId, actorName: actor?.name ?? null, byStaff, ipAddress }
}
