import { setTimeout as pause } from 'node:timers/promises'

/** A delayed response costs a few KiB of memory. */
const DELAYED_MAXIMUM = 1_000

/** Clients that ignore Retry-After would keep the main thread busy with 503s, and slow down session checks. */
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
