import { deleteSomeOfDisabledClient } from '../../core/client-sessions/store.ts'
import type { Context } from '../../core/context.ts'
import { inBatches } from '../../platform/background/in-batches.ts'
import { newTimeBudget, withTimeBudget } from '../../platform/database/time-budget.ts'

/** Small, because SQLite answers no request meanwhile. */
export const BATCH_SIZE = 100

/** Revokes the sessions at a disabled client, which are refused already. Maintenance ends what a crash leaves. */
export function revokeSessionsOfDisabledClient({ database }: Context, clientId: string): Promise<void> {
  return inTimedBatches(() => deleteSomeOfDisabledClient(database, clientId, BATCH_SIZE))
}

/**
 * Each batch has its own time for the database: a client may have more rows than one request can delete.
 * @param runBatch returns the number of rows, and 0 at the end
 */
export function inTimedBatches(runBatch: () => Promise<number>): Promise<void> {
  return inBatches(async () => (await withTimeBudget(newTimeBudget(), runBatch)) > 0)
}
