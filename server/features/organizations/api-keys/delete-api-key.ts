import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { deleteApiKeyRow } from './store.ts'

/**
 * A deletion grants nothing, so admins may delete API keys of every role.
 * @throws ApiError KEY_NOT_FOUND; as `lockMembershipForUpdate`
 */
export async function deleteApiKey(
  context: Context,
  actor: Actor,
  membership: AuthorizedMembership,
  keyId: string,
): Promise<void> {
  await inTransaction(context, actor, async ({ transaction, record }) => {
    const { organization } = await lockMembershipForUpdate(transaction, membership)
    const key = await deleteApiKeyRow(transaction, keyId)
    if (!key) throw new ApiError('KEY_NOT_FOUND', { field: 'keyId' })
    await record({
      action: 'api-key.deleted',
      subjectId: keyId,
      organizationId: organization.id,
      details: { name: key.name, role: key.role },
    })
  })
}
