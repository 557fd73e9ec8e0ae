import type { UnitOfWork } from '../../core/in-transaction.ts'
import { insertInvitations } from '../../core/invitations/store.ts'
import { insertMembers } from '../../core/memberships/add-member.ts'
import { insertOrganizations } from '../../core/organizations/store.ts'
import { chunksOf } from '../../platform/database/chunks.ts'
import { insertApiKeys } from '../organizations/api-keys/store.ts'
import type { PlannedOrganization } from './plan-organization.ts'

export async function saveOrganizations(
  { transaction, recordAll }: UnitOfWork,
  organizations: PlannedOrganization[],
): Promise<void> {
  await insertOrganizations(
    transaction,
    organizations.map(({ organization }) => organization),
  )
  const members = organizations.flatMap((one) => one.members)
  const invitations = organizations.flatMap((one) => one.invitations)
  const apiKeys = organizations.flatMap((one) => one.apiKeys)
  for (const rows of chunksOf(members)) await insertMembers(transaction, rows)
  for (const rows of chunksOf(invitations)) await insertInvitations(transaction, rows)
  for (const rows of chunksOf(apiKeys)) await insertApiKeys(transaction, rows)
  await recordAll(
    organizations.map((one) => ({
      action: 'organization.created',
      organizationId: one.organization.id,
      details: {
        slug: one.organization.slug,
        origin: 'import',
        memberCount: one.members.length,
        invitationCount: one.invitations.length,
        apiKeyCount: one.apiKeys.length,
      },
    })),
  )
}
