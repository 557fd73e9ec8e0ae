import type { Kysely } from 'kysely'
import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import { newKeyText } from '../../../platform/crypto/key-text.ts'
import { hashToken, newId } from '../../../platform/crypto/tokens.ts'
import type { ApiKeyRole, ApiKeyRow, Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { parseApiKeyMetadata } from './metadata.ts'
import { assertMayManageApiKey } from './roles.ts'
import { countApiKeys, insertApiKeys } from './store.ts'

/** Per organization; disabled and expired API keys count. */
export const API_KEYS_MAXIMUM = 1_000

interface NewApiKey {
  name: string
  role: ApiKeyRole
  /** Null: the API key does not expire. */
  expiresInSeconds: number | null
  metadata: Record<string, unknown> | string | null
}

/**
 * @throws ApiError VALIDATION_ERROR; INSUFFICIENT_API_KEY_PERMISSIONS; API_KEY_LIMIT_REACHED; as
 *   `lockMembershipForUpdate`
 */
export async function createApiKey(
  context: Context,
  actor: Actor,
  membership: AuthorizedMembership,
  { name, role, expiresInSeconds, metadata }: NewApiKey,
): Promise<{ key: ApiKeyRow; text: string }> {
  const now = context.now()
  const id = newId('apk', context)
  const text = newKeyText(id, context)
  const key: ApiKeyRow = {
    id,
    organizationId: membership.organization.id,
    name,
    role,
    keyHash: hashToken(text),
    enabled: 1,
    ...expiryIn(expiresInSeconds, now),
    lastUsedAt: null,
    rotatedAt: null,
    createdBy: membership.member.userId,
    createdAt: now,
    updatedAt: now,
    metadata: parseApiKeyMetadata(metadata),
    start: null,
    prefix: null,
  }
  return inTransaction(context, actor, async ({ transaction, record }) => {
    const { organization, member } = await lockMembershipForUpdate(transaction, membership)
    assertMayManageApiKey(member.role, role)
    await assertWithinLimit(transaction, organization.id)
    await insertApiKeys(transaction, [key])
    await record({
      action: 'api-key.created',
      subjectId: id,
      organizationId: organization.id,
      details: { name, role },
    })
    return { key, text }
  })
}

export function expiryIn(seconds: number | null, now: number): Pick<ApiKeyRow, 'expiresAt' | 'lifetime'> {
  if (seconds === null) return { expiresAt: null, lifetime: null }
  const lifetime = seconds * 1000
  return { expiresAt: now + lifetime, lifetime }
}

/** For a transaction that has locked the organization. @throws ApiError API_KEY_LIMIT_REACHED */
export async function assertWithinLimit(transaction: Kysely<Tables>, organizationId: string): Promise<void> {
  if ((await countApiKeys(transaction, organizationId)) >= API_KEYS_MAXIMUM) throw new ApiError('API_KEY_LIMIT_REACHED')
}
