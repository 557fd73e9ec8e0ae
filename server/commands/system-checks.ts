import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '../core/context.ts'
import type { SystemCheck } from '../features/staff/system/system-parts.ts'
import { shareWork } from '../platform/background/share-work.ts'
import { newTimeBudget, withTimeBudget } from '../platform/database/time-budget.ts'
import type { Check } from './doctor-check.ts'
import { runningServiceChecks } from './doctor-checks.ts'

/** A page waits for the checks. The mail server may take longer. */
const WAIT_MILLISECONDS = 3_000

/** Requests share a running check. A check that waits for a lock must not use up the database time of the request. */
export function createSystemChecks(context: Context, testWrite: () => Promise<void>): () => Promise<SystemCheck[]> {
  const checks = runningServiceChecks(context, testWrite).map(
    ([name, check]): Check => [name, shareWork(() => withTimeBudget(newTimeBudget(), check))],
  )
  return () => Promise.all(checks.map(([name, check]) => run(name, check)))
}

async function run(name: string, check: () => Promise<string>): Promise<SystemCheck> {
  const checked = check().then(
    (message): SystemCheck => ({ name, status: 'ok', message }),
    (error: Error): SystemCheck => ({ name, status: 'failed', message: error.message }),
  )
  const late: SystemCheck = { name, status: 'warning', message: 'there is no response within 3 seconds' }
  const timer = new AbortController()
  const timeout = wait(WAIT_MILLISECONDS, late, { signal: timer.signal, ref: false }).catch(() => late)
  const result = await Promise.race([checked, timeout])
  timer.abort()
  return result
}
