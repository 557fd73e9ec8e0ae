import type { AuthenticatedApiKey } from '../../../core/access/api-key.ts'
import type { Context } from '../../../core/context.ts'
import { writeIfPossible } from '../../../platform/database/write-if-possible.ts'
import { checkApiKey } from './check-api-key.ts'
import { markUsed } from './store.ts'

/** The last use is written at most so often, so that using a key stays a read. */
const LAST_USE_MILLISECONDS = 60_000

/** Who a key that came with a request stands for. @throws ApiError as `checkApiKey` */
export async function authenticateApiKey(context: Context, text: string): Promise<AuthenticatedApiKey> {
  const holder = await checkApiKey(context, text)
  const now = context.now()
  const { lastUsedAt } = holder.key
  if (lastUsedAt === null || now - lastUsedAt >= LAST_USE_MILLISECONDS)
    await writeIfPossible(context, () => markUsed(context.database, holder.key, now))
  return holder
}
