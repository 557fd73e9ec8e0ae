import { setTimeout as pause } from 'node:timers/promises'

/** A delayed response costs a few KiB of memory. */
const DELAYED_MAXIMUM = 1_000

/**
 * Flood protection: delays a 503 by its Retry-After. Clients that ignore Retry-After would otherwise keep the main
 * thread busy with 503 responses, and slow down session checks.
 * @returns a function that resolves after the seconds, or immediately while 1,000 responses are delayed
 */
export function createBusyDelay(): (seconds: number) => Promise<void> {
  let delayedCount = 0
  return async (seconds) => {
    if (delayedCount >= DELAYED_MAXIMUM) return
    delayedCount += 1
    // One more millisecond for each delayed response spreads the retries of clients that arrived together.
    await pause(seconds * 1000 + delayedCount)
    delayedCount -= 1
  }
}
