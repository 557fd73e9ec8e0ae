import type { Context } from '../context.ts'
import type { ApiKeyHolder } from '../http/api-key.ts'
import { ApiError } from '../http/errors.ts'
import { checkApiKey } from './check-api-key.ts'

/** Whether a key is good, and whose it is; else why not. It changes nothing, the key's last use included. */
export async function verifyApiKey(context: Context, text: string): Promise<ApiKeyHolder | ApiError> {
  try {
    return await checkApiKey(context, text)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
