import type { AuthorizedMembership } from '../../../core/access/access.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockMembershipForUpdate } from '../../../core/memberships/lock-membership.ts'
import { newKeyText } from '../../../platform/crypto/key-text.ts'
import { hashToken, newId } from '../../../platform/crypto/tokens.ts'
import type { ApiKeyRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { assertWithinLimit } from './create-api-key.ts'
import { assertMayManageApiKey } from './roles.ts'
import { insertApiKeys, lockApiKeyForUpdate, updateApiKeyRow } from './store.ts'

/**
 * @throws ApiError KEY_NOT_FOUND; INSUFFICIENT_API_KEY_PERMISSIONS; KEY_ALREADY_ROTATED; API_KEY_LIMIT_REACHED; as
 *   `lockMembershipForUpdate`
 */
export async function rotateApiKey(
  context: Context,
  actor: Actor,
  membership: AuthorizedMembership,
  { keyId, overlapSeconds }: { keyId: string; overlapSeconds: number },
): Promise<{ key: ApiKeyRow; text: string }> {
  const now = context.now()
  const id = newId('apk', context)
  const text = newKeyText(id, context)
  const keyHash = hashToken(text)
  return inTransaction(context, actor, async ({ transaction, record }) => {
    const { organization, member } = await lockMembershipForUpdate(transaction, membership)
    const old = await lockApiKeyForUpdate(transaction, keyId)
    if (!old) throw new ApiError('KEY_NOT_FOUND', { field: 'keyId' })
    const { name, role, expiresAt: oldEnd } = old
    assertMayManageApiKey(member.role, role)
    // Without a stored lifetime, only `expiresAt` tells it, and the first rotation has changed `expiresAt`.
    if (old.rotatedAt !== null) throw new ApiError('KEY_ALREADY_ROTATED', { field: 'keyId' })
    await assertWithinLimit(transaction, organization.id)
    const overlapEnd = now + overlapSeconds * 1000
    const expiresAt = oldEnd === null ? overlapEnd : Math.min(oldEnd, overlapEnd)
    await updateApiKeyRow(transaction, keyId, { expiresAt, rotatedAt: now, updatedAt: now })
    const key = { ...old, id, keyHash, createdBy: member.userId, ...startAgain(old, now) }
    await insertApiKeys(transaction, [key])
    const details = { name, role, replacedKeyId: keyId, overlapSeconds }
    await record({ action: 'api-key.rotated', subjectId: id, organizationId: organization.id, details })
    return { key, text }
  })
}

function startAgain({ createdAt, expiresAt, lifetime }: ApiKeyRow, now: number) {
  const newEnd = expiresAt === null ? null : now + (lifetime ?? expiresAt - createdAt)
  const times = { createdAt: now, updatedAt: now, lastUsedAt: null, expiresAt: newEnd }
  return { ...times, enabled: 1, start: null, prefix: null }
}
