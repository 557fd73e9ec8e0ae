import type { Static } from 'typebox'
import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Caller } from '../../../core/access/caller.ts'
import { hasOrganizationPermission } from '../../../core/access/organization-permissions.ts'
import type { Context } from '../../../core/context.ts'
import { countOpenInvitations } from '../../../core/invitations/store.ts'
import { countMembersByRole } from '../../../core/memberships/store.ts'
import { countOAuthClients } from '../../../core/oauth-clients/store.ts'
import { clientCodeOf } from '../../../core/organizations/client-code.ts'
import type { OrganizationRole } from '../../../platform/database/tables.ts'
import { toIsoOrNull } from '../../../platform/http/time.ts'
import { DAY_MILLISECONDS } from '../../../platform/time/time-units.ts'
import { countApiKeys, listExpiringApiKeys } from '../api-keys/store.ts'
import type { Overview } from './schemas.ts'
import { toOrganization } from './wire.ts'

const EXPIRING_MILLISECONDS = 14 * DAY_MILLISECONDS

/** Counts one by one: concurrent counts wait for connections, and each wait shortens the time of the request. */
export async function getOverview(
  { slowReads, now }: Context,
  { session }: Caller,
  { organization, member }: AuthorizedMembership,
): Promise<Static<typeof Overview>> {
  const { id } = organization
  // An impersonator must not list API keys, see api-key/list.
  const mayReadKeys = session.impersonatedBy === null && hasOrganizationPermission(member.role, 'apiKey.read')
  const period = { from: now(), until: now() + EXPIRING_MILLISECONDS }
  const memberCounts = await countMembersByRole(slowReads, id)
  const openInvitationCount = await countOpenInvitations(slowReads, id, now())
  const apiKeyCount = await countApiKeys(slowReads, id)
  const oauthClientCount = await countOAuthClients(slowReads, { organizationId: id })
  const expiringApiKeys = mayReadKeys ? await listExpiringApiKeys(slowReads, id, period) : []
  const countOf = (role: OrganizationRole) => memberCounts.get(role) ?? 0
  return {
    organization: toOrganization(organization),
    role: member.role,
    memberCounts: { owner: countOf('owner'), admin: countOf('admin'), member: countOf('member') },
    openInvitationCount,
    apiKeyCount,
    oauthClientCount,
    expiringApiKeys: expiringApiKeys.map((key) => ({ ...key, expiresAt: toIsoOrNull(key.expiresAt) })),
    clientCode: clientCodeOf(organization),
  }
}
