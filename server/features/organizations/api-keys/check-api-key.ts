import type { AuthenticatedApiKey } from '../../../core/access/api-key.ts'
import type { Context } from '../../../core/context.ts'
import { hashKeyText } from '../../../platform/crypto/key-text.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { findApiKeyByHash } from './store.ts'

/**
 * Which key a text is, if it is good right now. Nothing is written.
 * @throws ApiError INVALID_API_KEY; KEY_DISABLED or KEY_EXPIRED, only to who has the key
 */
export async function checkApiKey({ database, now }: Context, text: string): Promise<AuthenticatedApiKey> {
  const keyHash = hashKeyText(text)
  const found = keyHash && (await findApiKeyByHash(database, keyHash))
  if (!found) throw new ApiError('INVALID_API_KEY')
  if (found.key.enabled !== 1) throw new ApiError('KEY_DISABLED')
  if (found.key.expiresAt !== null && found.key.expiresAt <= now()) throw new ApiError('KEY_EXPIRED')
  return found
}
