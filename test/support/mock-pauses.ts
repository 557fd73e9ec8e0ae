import { syncBuiltinESMExports } from 'node:module'
import type { TestContext } from 'node:test'
import timers from 'node:timers/promises'

/** @returns the milliseconds of all pauses, which end at once */
export function mockPauses(t: TestContext): number[] {
  const waits: number[] = []
  const { mock } = t.mock.method(timers, 'setTimeout', async (milliseconds: number) => void waits.push(milliseconds))
  // Modules that imported the function before call the new one, too.
  syncBuiltinESMExports()
  t.after(() => {
    mock.restore()
    syncBuiltinESMExports()
  })
  return waits
}
