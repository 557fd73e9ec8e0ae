import type { Context } from '../../../core/context.ts'
import { findInvitationEvents } from '../../../core/invitations/events-store.ts'
import { findInvitationsOf } from '../../../core/invitations/store.ts'
import type { InvitationRow } from '../../../platform/database/tables.ts'
import { parsePage } from '../../../platform/http/paging.ts'
import { listEmailDeliveries } from '../../../platform/mail/sent-emails.ts'
import { type TimelineEntry, timelineOf } from './timeline.ts'

const INVITATIONS_PER_PAGE_MAXIMUM = 100

export type FollowedInvitation = InvitationRow & { timeline: TimelineEntry[] }

/**
 * One page of an organization's invitations, newest first, each with what has become of it; and how many there are.
 * @throws ApiError VALIDATION_ERROR
 */
export async function listInvitations(
  { database, now }: Context,
  organizationId: string,
  query: { limit?: string; offset?: string },
): Promise<{ invitations: FollowedInvitation[]; total: number }> {
  const page = parsePage(query, INVITATIONS_PER_PAGE_MAXIMUM)
  const { invitations, total } = await findInvitationsOf(database, organizationId, page)
  const ids = invitations.map(({ id }) => id)
  const emails = Map.groupBy(await listEmailDeliveries(database, ids), ({ subjectId }) => subjectId)
  const events = Map.groupBy(await findInvitationEvents(database, ids), ({ invitationId }) => invitationId)
  const followed = invitations.map((invitation) => {
    const { id } = invitation
    return { ...invitation, timeline: timelineOf(invitation, emails.get(id) ?? [], events.get(id) ?? [], now()) }
  })
  return { invitations: followed, total }
}
