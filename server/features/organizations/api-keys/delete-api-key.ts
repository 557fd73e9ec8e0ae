import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { deleteApiKeyRow } from './store.ts'

/**
 * Deletes a key for good. Admins may delete any key: that takes power away and gives none.
 * @throws ApiError ORGANIZATION_NOT_FOUND; FORBIDDEN; KEY_NOT_FOUND
 */
export async function deleteApiKey(
  context: Context,
  actor: Actor,
  membership: AuthorizedMembership,
  keyId: string,
): Promise<void> {
  await inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const { organization } = await lockMembershipForUpdate(transaction, membership)
    const key = await deleteApiKeyRow(transaction, keyId)
    if (!key) throw new ApiError('KEY_NOT_FOUND', { field: 'keyId' })
    await unit.record({
      action: 'api-key.deleted',
      subjectId: keyId,
      organizationId: organization.id,
      details: { name: key.name, role: key.role },
    })
  })
}
