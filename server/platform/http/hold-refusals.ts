import { setTimeout as pause } from 'node:timers/promises'

/** What is held costs memory, a few KiB each. */
const HELD_MAXIMUM = 1_000

/**
 * Makes whoever is refused wait for as long as they were asked to, before they hear of it: some come back at once, and
 * nothing but refusing them would then keep the main thread from everybody else.
 * @returns when to answer: after the time given, or at once while very many are held already
 */
export function createHold(): (seconds: number) => Promise<void> {
  let held = 0
  return async (seconds) => {
    if (held >= HELD_MAXIMUM) return
    held += 1
    // Each a millisecond longer than the one before: who came together does not come back together.
    await pause(seconds * 1000 + held)
    held -= 1
  }
}
