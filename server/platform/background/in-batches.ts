import { setTimeout as pause } from 'node:timers/promises'
import { newTimeBudget, withTimeBudget } from '../database/time-budget.ts'

/**
 * Repeats a batch until it returns false. Pauses as long as each batch took: SQLite works on the main thread, and its
 * promises resolve without a turn of the event loop, so that no request would be answered until the end.
 * @param signal ends the work after the current batch: a stop must not wait for a backlog
 */
export async function inBatches(runBatch: () => Promise<boolean>, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const startedAt = performance.now()
    if (!(await runBatch())) return
    await pause(performance.now() - startedAt)
  }
}

/**
 * For a request: each batch has its own time for the database, because there may be more rows than one request can change.
 * @param runBatch returns the number of rows, and 0 at the end
 */
export function inTimedBatches(runBatch: () => Promise<number>): Promise<void> {
  return inBatches(async () => (await withTimeBudget(newTimeBudget(), runBatch)) > 0)
}
