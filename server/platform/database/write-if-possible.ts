import type { FastifyBaseLogger } from 'fastify'
import { newTimeBudget, withTimeBudget } from './time-budget.ts'
import { isUnavailable } from './unavailable.ts'

const WAIT_MILLISECONDS = 250

/**
 * Writes what a read is complete without, such as the time of last use: reads must go on while the disk is full or a row
 * is locked. @returns whether it was written
 */
export async function writeIfPossible(
  { log }: { log: FastifyBaseLogger },
  write: () => Promise<void>,
): Promise<boolean> {
  try {
    await withTimeBudget(newTimeBudget(WAIT_MILLISECONDS), write)
    return true
  } catch (error) {
    if (!isUnavailable(error)) throw error
    // The requests that fail for the same reason log it; this would be a line for every read.
    log.debug({ err: error }, 'a write that can wait was skipped')
    return false
  }
}
