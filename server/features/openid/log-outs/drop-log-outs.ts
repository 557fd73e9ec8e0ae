import type { Context } from '../../../core/context.ts'
import { inBatches } from '../../../platform/background/in-batches.ts'
import { dropSomeLogOuts } from './store.ts'

/** Small, because SQLite answers no request during a batch. */
const BATCH_SIZE = 25

/**
 * The lanes can't do this: without pauses, a process with SQLite would answer nothing during thousands of log-outs.
 * @param signal ends the work after the current batch
 */
export async function dropLogOuts(context: Context, clientIds: string[], signal: AbortSignal): Promise<void> {
  for (const clientId of clientIds) {
    let dropped = 0
    await inBatches(async () => {
      const count = await dropSomeLogOuts(context.database, { clientId, now: context.now(), limit: BATCH_SIZE })
      context.totals.increment('accounts_logout_attempts_total', 'dropped', count)
      dropped += count
      return count === BATCH_SIZE
    }, signal)
    if (dropped > 0)
      context.log.warn({ clientId, count: dropped }, 'log-outs were dropped: the client is deleted or wants none')
  }
}
