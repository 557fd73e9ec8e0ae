import type { Kysely } from 'kysely'
import type { Static } from 'typebox'
import type { Context } from '../../../core/context.ts'
import { isInviterAllowed } from '../../../core/invitations/allowed-inviter.ts'
import { type InvitationDetails, listInvitationDetails } from '../../../core/invitations/details-store.ts'
import { listInvitationEvents } from '../../../core/invitations/invitation-events.ts'
import { type InvitationFilter, selectMatchingInvitations } from '../../../core/invitations/matching-invitations.ts'
import { readInvitationPage } from '../../../core/invitations/store.ts'
import type { Tables } from '../../../platform/database/tables.ts'
import { type Page, parsePage } from '../../../platform/http/paging.ts'
import { listInvitationDeliveries } from '../../../platform/mail/email-deliveries.ts'
import { INVITATIONS_PER_PAGE_MAXIMUM, type ListInvitationsQuery } from './schemas.ts'
import { type TimelineEntry, timelineOf } from './timeline.ts'

export interface ListedInvitationRow extends InvitationDetails {
  timeline: TimelineEntry[]
  inviterMayInvite: boolean
}

type Reading = Pick<Context, 'slowReads' | 'now'>

/** @throws ApiError VALIDATION_ERROR */
export function listInvitations(
  context: Reading,
  organizationId: string,
  { email, status, ...query }: Static<typeof ListInvitationsQuery>,
): Promise<InvitationPage> {
  const page = parsePage(query, INVITATIONS_PER_PAGE_MAXIMUM)
  const filter = { organizationId, ...(email !== undefined && { email }), ...(status !== undefined && { status }) }
  return readInvitations(context, filter, page)
}

interface InvitationPage {
  invitations: ListedInvitationRow[]
  total: number
}

/** Reads off the main thread, because an organization may have 90,000 invitations of 90 days. */
export async function readInvitations(
  { slowReads, now }: Reading,
  filter: InvitationFilter,
  page: Page,
): Promise<InvitationPage> {
  const matching = selectMatchingInvitations(slowReads, filter, now())
  const { ids, total } = await readInvitationPage(matching, page)
  return { invitations: await listWithTimelines(slowReads, now(), ids), total }
}

/** An invitation that is deleted concurrently is left out. */
async function listWithTimelines(database: Kysely<Tables>, now: number, ids: string[]): Promise<ListedInvitationRow[]> {
  const emails = Map.groupBy(await listInvitationDeliveries(database, ids), ({ subjectId }) => subjectId)
  const events = Map.groupBy(await listInvitationEvents(database, ids), ({ invitationId }) => invitationId)
  const found = await listInvitationDetails(database, now, ids)
  const byId = new Map(found.map((details) => [details.invitation.id, details]))
  return ids.flatMap((id) => {
    const details = byId.get(id)
    if (!details) return []
    const timeline = timelineOf(details.invitation, emails.get(id) ?? [], events.get(id) ?? [], now)
    return [{ ...details, timeline, inviterMayInvite: isInviterAllowed(details, now) }]
  })
}
