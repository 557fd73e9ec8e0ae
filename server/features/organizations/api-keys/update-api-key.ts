import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import type { ApiKeyRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { parseMetadata } from './metadata.ts'
import { type ApiKeyRole, assertMayHandle } from './roles.ts'
import { changeApiKey, findApiKey } from './store.ts'

interface ApiKeyUpdate {
  name?: string
  enabled?: boolean
  role?: ApiKeyRole
  /** From now on; null: it does not expire. */
  expiresInSeconds?: number | null
  /** Replaces the former metadata, all of it. */
  metadata?: Record<string, unknown> | string | null
}

/**
 * Changes what is named and leaves the rest. It counts from the key's next use on.
 * @throws ApiError VALIDATION_ERROR for metadata; ORGANIZATION_NOT_FOUND; FORBIDDEN; KEY_NOT_FOUND; INSUFFICIENT_API_KEY_PERMISSIONS
 */
export async function updateApiKey(
  context: Context,
  actor: Actor,
  membership: AuthorizedMembership,
  keyId: string,
  { name, enabled, role, expiresInSeconds, metadata: newMetadata }: ApiKeyUpdate,
): Promise<ApiKeyRow> {
  const now = context.now()
  const metadata = newMetadata === undefined ? {} : { metadata: parseMetadata(newMetadata) }
  const change = {
    ...(name !== undefined && { name }),
    ...(enabled !== undefined && { enabled: enabled ? 1 : 0 }),
    ...(role !== undefined && { role }),
    ...(expiresInSeconds !== undefined && {
      expiresAt: expiresInSeconds === null ? null : now + expiresInSeconds * 1000,
    }),
  }
  return inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const { organization, member } = await lockMembershipForUpdate(transaction, membership)
    const key = await findApiKey(transaction, keyId)
    if (!key) throw new ApiError('KEY_NOT_FOUND', { field: 'keyId' })
    assertMayHandle(member.role, key.role, role ?? key.role)
    const changed = await changeApiKey(transaction, keyId, { ...change, ...metadata, updatedAt: now })
    await unit.record({
      action: 'api-key.updated',
      subjectId: keyId,
      organizationId: organization.id,
      // Metadata may hold anything, so its values stay out of the audit log.
      details: { ...change, ...('metadata' in metadata && { metadata: 'changed' }) },
    })
    return changed
  })
}
