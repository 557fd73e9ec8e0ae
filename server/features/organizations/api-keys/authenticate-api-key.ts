import type { AuthenticatedApiKey } from '../../../core/access/api-key.ts'
import type { Context } from '../../../core/context.ts'
import { writeIfPossible } from '../../../platform/database/write-if-possible.ts'
import { MINUTE_MILLISECONDS } from '../../../platform/time/time-units.ts'
import { updateApiKeyUse } from './store.ts'
import { verifyApiKey } from './verify-api-key.ts'

/** The last use is written once in this time, so that most requests with an API key only read. */
const LAST_USE_MILLISECONDS = MINUTE_MILLISECONDS

/** Verifies the API key of a request and updates its last use. @throws ApiError as `verifyApiKey` */
export async function authenticateApiKey(context: Context, text: string): Promise<AuthenticatedApiKey> {
  const authenticated = await verifyApiKey(context, text)
  const { key } = authenticated
  const now = context.now()
  if (key.lastUsedAt === null || now - key.lastUsedAt >= LAST_USE_MILLISECONDS)
    await writeIfPossible(context, () => updateApiKeyUse(context.database, key, now))
  return authenticated
}
