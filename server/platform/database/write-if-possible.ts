import type { FastifyBaseLogger } from 'fastify'
import { shorterTimeBudget, spendOtherTime, withTimeBudget } from './time-budget.ts'
import { isUnavailable } from './unavailable.ts'

const WAIT_MILLISECONDS = 250

/** Reads must go on while the disk is full or a row is locked. @returns whether the write succeeded */
export async function writeIfPossible(
  { log }: { log: FastifyBaseLogger },
  write: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await spendOtherTime(() => withTimeBudget(shorterTimeBudget(WAIT_MILLISECONDS), write))
    return true
  } catch (error) {
    if (!isUnavailable(error)) throw error
    // The level is debug, because there may be a line for every read. Failed changes log the cause of the problem.
    log.debug({ err: error }, 'an optional write was skipped')
    return false
  }
}
