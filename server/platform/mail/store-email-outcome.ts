import { delayBeforeRetry } from '../background/backoff.ts'
import type { PlatformContext } from '../context.ts'
import { DAY_MILLISECONDS } from '../time/time-units.ts'
import type { EmailOutcome } from './attempt-email.ts'
import { type LeasedEmail, LONGEST_DELAY_MILLISECONDS, markDelayed, markFailed, markSent } from './lease-email.ts'

/** About two days, with delays of up to half an hour. */
const ATTEMPTS_MAXIMUM = 100
/** The first delay of an email under an unknown SECRET, which another process may know during a replacement. */
const SECRET_DELAY_MILLISECONDS = 15_000
/** An older email waits for this part of its age, because thousands may wait for a SECRET that is lost. */
const SECRET_DELAY_SHARE = 1 / 150
/** Longer than any link works. */
const SECRET_WAIT_MILLISECONDS_MAXIMUM = 8 * DAY_MILLISECONDS

export async function storeEmailOutcome(
  context: PlatformContext,
  email: LeasedEmail,
  { verdict, answer }: EmailOutcome,
): Promise<void> {
  if (verdict === 'sent') return markSent(context, email, answer)
  if (verdict === 'unknown secret') return waitForSecret(context, email, answer)
  if (verdict === 'unreadable') return markFailed(context, email, answer)
  const attempts = email.attempts + 1
  if (verdict === 'refused' || attempts >= ATTEMPTS_MAXIMUM) return markFailed(context, email, answer, { attempts })
  const delayMilliseconds = delayBeforeRetry(context, attempts, LONGEST_DELAY_MILLISECONDS)
  await markDelayed(context, email, { answer, attempts, delayMilliseconds })
}

/** Counts no attempt, because the email waits for a process with that SECRET. */
async function waitForSecret(context: PlatformContext, email: LeasedEmail, answer: string): Promise<void> {
  const ageMilliseconds = context.now() - email.createdAt
  if (ageMilliseconds >= SECRET_WAIT_MILLISECONDS_MAXIMUM)
    return markFailed(context, email, answer, { deletesText: true })
  const grown = Math.max(ageMilliseconds * SECRET_DELAY_SHARE, SECRET_DELAY_MILLISECONDS)
  const delayMilliseconds = Math.round(Math.min(grown, LONGEST_DELAY_MILLISECONDS))
  await markDelayed(context, email, { answer, attempts: email.attempts, delayMilliseconds })
}
