import { MAINTENANCE } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { retryWhileUnavailable } from '../../../platform/database/retry-while-unavailable.ts'
import type { OAuthClientRow } from '../../../platform/database/tables.ts'
import { DAY_MILLISECONDS } from '../../../platform/time/time-units.ts'
import type { LogOutOutcome } from './attempt-log-out.ts'
import { type LeasedLogOut, type LogOutResult, saveLogOutResult } from './store.ts'

/** The pauses between the attempts; after them, one an hour. */
const DELAYS_SECONDS = [5, 30, 120, 600]
const LONGEST_DELAY_SECONDS = 3_600
/** A log-out with fewer attempts after a day is not given up: the clock was behind, or the service was stopped. */
const ATTEMPTS_OF_A_DAY = 1 + countDelays(DAY_MILLISECONDS / 1000)
/** After this time, any log-out is given up: many waiting log-outs of one client get few attempts each. */
const LONGEST_MILLISECONDS = 7 * DAY_MILLISECONDS
const POSTPONED_MILLISECONDS = 15_000
const SAVING_WAITS_MILLISECONDS = [500, 2_000]

/** @returns the outcome, as the metrics name it */
export async function storeLogOutOutcome(
  context: Context,
  logOut: LeasedLogOut,
  client: OAuthClientRow | undefined,
  { verdict, reason }: LogOutOutcome,
): Promise<LogOutOutcome['verdict'] | 'given up'> {
  const { database, now } = context
  const attempts = logOut.attempts + 1
  if (verdict === 'delivered' || verdict === 'dropped') {
    await saveWithRetries(context, logOut, { attempts, lastError: null, settledAt: now() })
    return verdict
  }
  if (verdict === 'postponed') {
    const nextAttemptAt = now() + POSTPONED_MILLISECONDS
    await saveLogOutResult(database, logOut, { attempts: logOut.attempts, lastError: reason, nextAttemptAt })
    return verdict
  }
  const tried = now() - logOut.firstAttemptAt
  const isTriedOften = tried >= DAY_MILLISECONDS && attempts >= ATTEMPTS_OF_A_DAY
  if (isTriedOften || tried >= LONGEST_MILLISECONDS) {
    await giveUp(context, logOut, client, reason)
    return 'given up'
  }
  const left = tried < DAY_MILLISECONDS ? DAY_MILLISECONDS - tried : Number.POSITIVE_INFINITY
  const nextAttemptAt = now() + Math.min(delaySeconds(attempts) * 1000, left)
  await saveLogOutResult(database, logOut, { attempts, lastError: reason, nextAttemptAt })
  return verdict
}

function delaySeconds(attempts: number): number {
  return DELAYS_SECONDS[attempts - 1] ?? LONGEST_DELAY_SECONDS
}

/** Also counts the last delay, which is shortened to end with the day. */
function countDelays(seconds: number): number {
  const rest = seconds - DELAYS_SECONDS.reduce((sum, delay) => sum + delay, 0)
  return DELAYS_SECONDS.length + Math.ceil(rest / LONGEST_DELAY_SECONDS)
}

/** Waits for an unavailable database, because a log-out without a stored result is sent again. */
async function saveWithRetries({ database, log }: Context, logOut: LeasedLogOut, result: LogOutResult): Promise<void> {
  const save = () => saveLogOutResult(database, logOut, result)
  await retryWhileUnavailable(SAVING_WAITS_MILLISECONDS, save, (error) =>
    log.error({ err: error, logOutId: logOut.id }, 'the result of a log-out could not be stored'),
  )
}

function giveUp(
  context: Context,
  logOut: LeasedLogOut,
  client: OAuthClientRow | undefined,
  reason: string,
): Promise<void> {
  const { clientId, userId } = logOut
  const attempts = logOut.attempts + 1
  return inTransaction(context, MAINTENANCE, async ({ transaction, record }) => {
    const result = { attempts, lastError: reason, settledAt: context.now() }
    if (!(await saveLogOutResult(transaction, logOut, result))) return
    const organizationId = client?.organizationId
    await record({
      action: 'oauth-logout.failed',
      subjectId: userId,
      ...(organizationId && { organizationId }),
      details: { clientId, name: client?.name ?? null, attempts },
    })
  })
}
