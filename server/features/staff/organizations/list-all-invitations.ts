import type { Context } from '../../../core/context.ts'
import { type InvitationFilter, selectMatchingInvitations } from '../../../core/invitations/matching-invitations.ts'
import { readInvitationPage } from '../../../core/invitations/store.ts'
import type { Page } from '../../../platform/http/paging.ts'
import { type ListedInvitationRow, listWithTimelines } from '../../organizations/invitations/list-invitations.ts'

/** One page of the invitations of all organizations, newest first, read off the main thread. */
export async function listAllInvitations(
  { slowReads, config, now }: Context,
  filter: InvitationFilter,
  page: Page,
): Promise<{ invitations: ListedInvitationRow[]; total: number }> {
  const matching = selectMatchingInvitations(slowReads, config.database.engine, filter, now())
  const { ids, total } = await readInvitationPage(matching, page)
  return { invitations: await listWithTimelines(slowReads, now(), ids), total }
}
