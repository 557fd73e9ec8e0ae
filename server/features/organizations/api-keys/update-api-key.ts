import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import type { ApiKeyRole, ApiKeyRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { expiryIn } from './create-api-key.ts'
import { parseApiKeyMetadata } from './metadata.ts'
import { assertMayManageApiKey } from './roles.ts'
import { lockApiKeyForUpdate, updateApiKeyRow } from './store.ts'

interface ApiKeyUpdate {
  name?: string
  enabled?: boolean
  role?: ApiKeyRole
  /** Null: the API key does not expire. */
  expiresInSeconds?: number | null
  /** Replaces all of the former metadata. */
  metadata?: Record<string, unknown> | string | null
}

/** @throws ApiError VALIDATION_ERROR; KEY_NOT_FOUND; INSUFFICIENT_API_KEY_PERMISSIONS; as `lockMembershipForUpdate` */
export async function updateApiKey(
  context: Context,
  actor: Actor,
  membership: AuthorizedMembership,
  keyId: string,
  { name, enabled, role, expiresInSeconds, metadata: newMetadata }: ApiKeyUpdate,
): Promise<ApiKeyRow> {
  const now = context.now()
  const metadata = newMetadata === undefined ? {} : { metadata: parseApiKeyMetadata(newMetadata) }
  const change = {
    ...(name !== undefined && { name }),
    ...(enabled !== undefined && { enabled: enabled ? 1 : 0 }),
    ...(role !== undefined && { role }),
  }
  const expiry = expiresInSeconds === undefined ? undefined : expiryIn(expiresInSeconds, now)
  // A new expiry ends the overlap of a rotation.
  const newExpiry = expiry && { ...expiry, rotatedAt: null }
  return inTransaction(context, actor, async ({ transaction, record }) => {
    const { organization, member } = await lockMembershipForUpdate(transaction, membership)
    const key = await lockApiKeyForUpdate(transaction, keyId)
    if (!key) throw new ApiError('KEY_NOT_FOUND', { field: 'keyId' })
    assertMayManageApiKey(member.role, key.role, role ?? key.role)
    const changed = await updateApiKeyRow(transaction, keyId, { ...change, ...newExpiry, ...metadata, updatedAt: now })
    await record({
      action: 'api-key.updated',
      subjectId: keyId,
      organizationId: organization.id,
      // Metadata may contain secrets, so its values stay out of the audit log.
      details: {
        ...change,
        ...(expiry && { expiresAt: expiry.expiresAt }),
        ...('metadata' in metadata && { metadata: 'changed' }),
      },
    })
    return changed
  })
}
