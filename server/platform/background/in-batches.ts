import { setTimeout as pause } from 'node:timers/promises'
import { newTimeBudget, withTimeBudget } from '../database/time-budget.ts'
import { isStatementTimeout } from '../database/unavailable.ts'

/**
 * Repeats a batch until it returns false. Pauses after each batch for as long as it took. SQLite works on the
 * main thread, and its promises resolve without a turn of the event loop: without pauses, no request would be answered.
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
 * `inBatches` for a request. Each batch has its own time for the database, because there may be more rows than one
 * request can change.
 * @param runBatch returns the number of rows, and 0 at the end
 */
export function inTimedBatches(batchSize: number, runBatch: (limit: number) => Promise<number>): Promise<void> {
  const runTimed = async (limit: number) => (await withTimeBudget(newTimeBudget(), () => runBatch(limit))) > 0
  return inBatches(smallerAfterTimeout(batchSize, runTimed))
}

/**
 * Divides the size of the next batches by five after a statement timeout: each row may have many dependent rows. Throws
 * other errors immediately, because a request must not wait for a database that does not answer.
 */
export function smallerAfterTimeout(
  batchSize: number,
  runBatch: (limit: number) => Promise<boolean>,
): () => Promise<boolean> {
  let limit = batchSize
  return async () => {
    try {
      return await runBatch(limit)
    } catch (error) {
      if (limit === 1 || !isStatementTimeout(error)) throw error
      limit = Math.ceil(limit / 5)
      return true
    }
  }
}
