import { setTimeout as pause } from 'node:timers/promises'
import { newTimeBudget, withTimeBudget } from '../database/time-budget.ts'
import { isStatementTimeout } from '../database/unavailable.ts'

/** SQLite's promises resolve without a turn of the event loop: without pauses, no request would be answered. */
export async function inBatches(runBatch: () => Promise<boolean>, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const startedAt = performance.now()
    if (!(await runBatch())) return
    await pause(performance.now() - startedAt)
  }
}

/** Each batch has a time budget of its own, because there may be more rows than one request can change. */
export function inTimedBatches(batchSize: number, runBatch: (limit: number) => Promise<number>): Promise<void> {
  const runTimed = async (limit: number) => (await withTimeBudget(newTimeBudget(), () => runBatch(limit))) > 0
  return inBatches(smallerAfterTimeout(batchSize, runTimed))
}

/** A row may have many dependent rows, so a timeout makes batches smaller. Other errors are thrown immediately. */
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
