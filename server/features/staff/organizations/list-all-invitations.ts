import type { Context } from '../../../core/context.ts'
import { type InvitationFilter, selectMatchingInvitations } from '../../../core/invitations/matching-invitations.ts'
import type { Page } from '../../../platform/http/paging.ts'
import { addListedFields, type ListedInvitationRow } from '../../organizations/invitations/list-invitations.ts'

export interface NamedInvitation extends ListedInvitationRow {
  organizationName: string
  organizationSlug: string
  inviterName: string | null
  inviterEmail: string | null
}

/** One page of the invitations of all organizations, newest first, read off the main thread. */
export async function listAllInvitations(
  { slowReads, config, now }: Context,
  filter: InvitationFilter,
  { limit, offset }: Page,
): Promise<{ invitations: NamedInvitation[]; total: number }> {
  const matching = selectMatchingInvitations(slowReads, config.database.engine, filter, now())
  const rows = await matching
    .innerJoin('organizations', 'organizations.id', 'invitations.organizationId')
    .leftJoin('users', 'users.id', 'invitations.inviterId')
    .selectAll('invitations')
    .select([
      'organizations.name as organizationName',
      'organizations.slug as organizationSlug',
      'users.name as inviterName',
      'users.email as inviterEmail',
    ])
    .orderBy('invitations.createdAt', 'desc')
    .orderBy('invitations.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  const { total } = await matching.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { invitations: await addListedFields(slowReads, now(), rows), total }
}
