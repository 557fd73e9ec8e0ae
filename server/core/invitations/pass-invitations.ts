import type { Kysely } from 'kysely'
import { chunksOf } from '../../platform/database/chunks.ts'
import type { MemberRow, OrganizationRole, Tables } from '../../platform/database/tables.ts'
import { discardInvitationEmails } from '../../platform/mail/outbox.ts'
import { ORGANIZATION_ROLES } from '../access/organization-permissions.ts'
import { isAllowedByRole, mayStillInvite } from './allowed-inviter.ts'
import { listInvitationDetails } from './details-store.ts'
import {
  findOtherOwner,
  listUnsentInvitationIdsOf,
  readOrganizationsWithInvitationsOf,
  updateInviter,
} from './inviter-store.ts'

interface PassedInvitations {
  passedInvitations: number
  passedTo?: string
}

/** For a locked organization. Passes no refused invitation: a new inviter would make it usable again. */
export async function passInvitations(
  transaction: Kysely<Tables>,
  now: number,
  member: Pick<MemberRow, 'organizationId' | 'userId' | 'role'>,
): Promise<PassedInvitations> {
  const roles = ORGANIZATION_ROLES.filter((role) => mayStillInvite(member.role, role))
  const owner = roles.length > 0 && (await findOtherOwner(transaction, now, member))
  const passedInvitations = owner ? await updateInviter(transaction, now, member, roles, owner.userId) : 0
  return { passedInvitations, ...(owner && passedInvitations > 0 && { passedTo: owner.userId }) }
}

/** For locked organizations. @returns the passed invitations by the id of the organization */
export async function passInvitationsOf(
  transaction: Kysely<Tables>,
  now: number,
  userId: string,
  memberships: { id: string; role: OrganizationRole }[],
): Promise<Map<string, PassedInvitations>> {
  const passed = new Map<string, PassedInvitations>()
  for (const chunk of chunksOf(memberships)) {
    const ids = chunk.map(({ id }) => id)
    const inviting = await readOrganizationsWithInvitationsOf(transaction, now, userId, ids)
    for (const { id: organizationId, role } of chunk.filter(({ id }) => inviting.has(id)))
      passed.set(organizationId, await passInvitations(transaction, now, { organizationId, userId, role }))
  }
  return passed
}

/** After a change of a role or membership. A ban discards no emails, because it may end before the links do. */
export async function discardEmailsOfRefusedInvitations(
  transaction: Kysely<Tables>,
  now: number,
  inviterIds: string[],
  organizationId?: string,
): Promise<void> {
  const ids = await listUnsentInvitationIdsOf(transaction, inviterIds, organizationId)
  for (const chunk of chunksOf(ids)) {
    const invitations = await listInvitationDetails(transaction, now, chunk)
    const refused = invitations.filter((details) => !isAllowedByRole(details))
    await discardInvitationEmails(
      transaction,
      now,
      refused.map(({ invitation }) => invitation.id),
    )
  }
}
