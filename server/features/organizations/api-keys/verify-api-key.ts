import type { AuthenticatedApiKey } from '../../../core/access/api-key.ts'
import type { Context } from '../../../core/context.ts'
import { hashKeyText } from '../../../platform/crypto/key-text.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { findApiKeyByHash } from './store.ts'

/** Verifies an API key without updating its last use. @throws ApiError INVALID_API_KEY; KEY_DISABLED; KEY_EXPIRED */
export async function verifyApiKey({ database, now }: Context, text: string): Promise<AuthenticatedApiKey> {
  const keyHash = hashKeyText(text)
  const found = keyHash && (await findApiKeyByHash(database, keyHash))
  if (!found) throw new ApiError('INVALID_API_KEY')
  const { key, organization } = found
  const about = { subjectId: key.id, organizationId: organization.id }
  if (key.enabled !== 1) throw new ApiError('KEY_DISABLED', { about })
  if (key.expiresAt !== null && key.expiresAt <= now()) throw new ApiError('KEY_EXPIRED', { about })
  return found
}
