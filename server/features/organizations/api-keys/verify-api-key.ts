import type { AuthenticatedApiKey } from '../../../core/access/api-key.ts'
import type { Context } from '../../../core/context.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { checkApiKey } from './check-api-key.ts'

/** Whether a key is good, and whose it is; else why not. It changes nothing, the key's last use included. */
export async function verifyApiKey(context: Context, text: string): Promise<AuthenticatedApiKey | ApiError> {
  try {
    return await checkApiKey(context, text)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
