import type { PlatformContext } from '../context.ts'
import { readClockDifference } from '../database/clock-difference.ts'
import { MINUTE_MILLISECONDS } from '../time/time-units.ts'

const TOLERANCE_MILLISECONDS = MINUTE_MILLISECONDS
const CLOCK_IS_AHEAD =
  'the clock of this process is ahead of that of PostgreSQL, so it deletes nothing and lifts no ban: set both by NTP'

/** With a clock that is ahead, a run would delete rows that have not expired, also for other processes. */
export function unlessClockIsAhead(
  { database, now, log }: Pick<PlatformContext, 'database' | 'now' | 'log'>,
  work: (signal: AbortSignal) => Promise<void>,
): (signal: AbortSignal) => Promise<void> {
  let wasAhead = false
  return async (signal) => {
    const difference = await readClockDifference(database, now)
    const isAhead = difference > TOLERANCE_MILLISECONDS
    if (isAhead && !wasAhead) log.warn({ seconds: Math.round(difference / 1000) }, CLOCK_IS_AHEAD)
    wasAhead = isAhead
    if (!isAhead) await work(signal)
  }
}
