import type { Kysely } from 'kysely'
import type { Static } from 'typebox'
import type { Context } from '../../../core/context.ts'
import { listInvitationDetails } from '../../../core/invitations/details-store.ts'
import { isInviterAllowed } from '../../../core/invitations/get-usable-invitation.ts'
import { listInvitationEvents } from '../../../core/invitations/invitation-events.ts'
import { selectMatchingInvitations } from '../../../core/invitations/matching-invitations.ts'
import { readInvitationPage } from '../../../core/invitations/store.ts'
import type { InvitationRow, Tables } from '../../../platform/database/tables.ts'
import { parsePage } from '../../../platform/http/paging.ts'
import { listEmailDeliveries } from '../../../platform/mail/sent-emails.ts'
import type { ListInvitationsQuery } from './schemas.ts'
import { type TimelineEntry, timelineOf } from './timeline.ts'

const INVITATIONS_PER_PAGE_MAXIMUM = 100

interface ListedFields {
  timeline: TimelineEntry[]
  inviterMayInvite: boolean
}

export type ListedInvitationRow = InvitationRow & ListedFields

/**
 * One page of an organization's invitations, newest first, each with its timeline, and the total. Reads off the main
 * thread, because an organization may have 90,000 invitations of 90 days.
 * @throws ApiError VALIDATION_ERROR
 */
export async function listInvitations(
  { config, slowReads, now }: Pick<Context, 'config' | 'slowReads' | 'now'>,
  organizationId: string,
  { email, status, ...query }: Static<typeof ListInvitationsQuery>,
): Promise<{ invitations: ListedInvitationRow[]; total: number }> {
  const page = parsePage(query, INVITATIONS_PER_PAGE_MAXIMUM)
  const filter = { organizationId, ...(email !== undefined && { email }), ...(status !== undefined && { status }) }
  const matching = selectMatchingInvitations(slowReads, config.database.engine, filter, now())
  const { invitations, total } = await readInvitationPage(matching, page)
  return { invitations: await addListedFields(slowReads, now(), invitations), total }
}

/** Adds the timeline of each invitation, and whether its inviter may still invite with its role. */
export async function addListedFields<Row extends InvitationRow>(
  database: Kysely<Tables>,
  now: number,
  invitations: Row[],
): Promise<(Row & ListedFields)[]> {
  const ids = invitations.map(({ id }) => id)
  const emails = Map.groupBy(await listEmailDeliveries(database, ids), ({ subjectId }) => subjectId)
  const events = Map.groupBy(await listInvitationEvents(database, ids), ({ invitationId }) => invitationId)
  const details = await listInvitationDetails(database, now, ids)
  const allowed = new Set(details.filter((one) => isInviterAllowed(one, now)).map(({ invitation }) => invitation.id))
  return invitations.map((invitation) => {
    const { id } = invitation
    const timeline = timelineOf(invitation, emails.get(id) ?? [], events.get(id) ?? [], now)
    return { ...invitation, timeline, inviterMayInvite: allowed.has(id) }
  })
}
