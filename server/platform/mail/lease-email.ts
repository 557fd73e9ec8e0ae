import type { Kysely, UpdateResult } from 'kysely'
import type { PlatformContext } from '../context.ts'
import { retryWhileUnavailable } from '../database/retry-while-unavailable.ts'
import type { OutboxRow, Tables } from '../database/tables.ts'
import { delayGroupOf } from '../statistics/email-delays.ts'
import { addCounts, type Count, hourOf } from '../statistics/store.ts'
import { MINUTE_MILLISECONDS } from '../time/time-units.ts'
import { IMPOSSIBLE_MILLISECONDS, isDue } from './due-emails.ts'

/** Short, because the emails of a killed process wait for this time. A longer attempt renews its lease. */
const LEASE_MILLISECONDS = 120_000
const STORING_WAITS_MILLISECONDS = [500, 2_000, 10_000]
export const LONGEST_DELAY_MILLISECONDS = 30 * MINUTE_MILLISECONDS

export type LeasedEmail = Pick<OutboxRow, 'id' | 'recipient' | 'attempts' | 'createdAt'> & {
  encryptedEmail: string
  /** Identifies the lease. A result after its end must not overwrite the one of another process. */
  lastAttemptAt: number
}

/** One statement, so that only one process gets the email. After a crash, it is due again after the lease. */
export async function leaseEmail({ database, now }: PlatformContext): Promise<LeasedEmail | undefined> {
  const at = now()
  const impossible = at + IMPOSSIBLE_MILLISECONDS
  const leased = await database
    .updateTable('outbox')
    .set({ leasedUntil: at + LEASE_MILLISECONDS, lastAttemptAt: at })
    .where('id', '=', (emails) =>
      emails
        .selectFrom('outbox')
        .select('id')
        .where('sentAt', 'is', null)
        .where('failedAt', 'is', null)
        .where(isDue('nextAttemptAt', at))
        .where(({ or, eb }) =>
          or([eb('leasedUntil', 'is', null), eb('leasedUntil', '<=', at), eb('leasedUntil', '>', impossible)]),
        )
        .orderBy('priority')
        .orderBy('nextAttemptAt')
        .orderBy('id')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['id', 'recipient', 'attempts', 'createdAt', 'encryptedEmail', 'lastAttemptAt'])
    .executeTakeFirst()
  return leased as LeasedEmail | undefined
}

export async function renewLease({ database, now }: PlatformContext, email: LeasedEmail): Promise<void> {
  await updateLeased(database, email)
    .set({ leasedUntil: now() + LEASE_MILLISECONDS })
    .execute()
}

/** Deletes the text, because it contains a link with a token. */
export async function markSent(context: PlatformContext, email: LeasedEmail, answer: string): Promise<void> {
  const sentAt = context.now()
  const hour = hourOf(sentAt)
  const detail = delayGroupOf(sentAt - email.createdAt)
  const counts: Count[] = [
    { name: 'email-sent', hour, detail: '', count: 1 },
    { name: 'email-delay', hour, detail, count: 1 },
  ]
  const change = { sentAt, encryptedEmail: null, lastError: answer, leasedUntil: null }
  await storeAndCount(context, email, (transaction) => updateLeased(transaction, email).set(change), counts)
}

/** By default, the text stays for a day, so that the email can be sent again. */
export async function markFailed(
  context: PlatformContext,
  email: LeasedEmail,
  reason: string,
  { attempts = email.attempts, deletesText = false } = {},
): Promise<void> {
  const failedAt = context.now()
  const counts: Count[] = [{ name: 'email-failed', hour: hourOf(failedAt), detail: '', count: 1 }]
  const text = deletesText ? { encryptedEmail: null } : {}
  const change = { failedAt, attempts, lastError: reason, leasedUntil: null, ...text }
  await storeAndCount(context, email, (transaction) => updateWaiting(transaction, email).set(change), counts)
}

export async function markDelayed(
  { database, now }: PlatformContext,
  email: LeasedEmail,
  { answer, attempts, delayMilliseconds }: { answer: string; attempts: number; delayMilliseconds: number },
): Promise<void> {
  const change = { nextAttemptAt: now() + delayMilliseconds, attempts, lastError: answer, leasedUntil: null }
  await updateWaiting(database, email).set(change).execute()
}

/**
 * Waits for the database, because an email without a stored outcome is sent again. The last try leaves out the counts:
 * statistics that can't be written would repeat the email without end.
 */
async function storeAndCount(
  { database, log }: PlatformContext,
  { id }: LeasedEmail,
  update: (transaction: Kysely<Tables>) => { executeTakeFirstOrThrow(): Promise<UpdateResult> },
  counts: Count[],
): Promise<void> {
  const storeBoth = () =>
    database.transaction().execute(async (transaction) => {
      const { numUpdatedRows } = await update(transaction).executeTakeFirstOrThrow()
      if (numUpdatedRows === 1n) await addCounts(transaction, counts)
    })
  const logFailure = (error: unknown) =>
    log.error({ err: error, emailId: id }, 'the outcome of an email could not be stored with its statistics')
  try {
    await retryWhileUnavailable(STORING_WAITS_MILLISECONDS, storeBoth, logFailure)
  } catch {
    await update(database).executeTakeFirstOrThrow()
  }
}

/** Without effect when another process has the lease. */
function updateLeased(database: Kysely<Tables>, { id, lastAttemptAt }: LeasedEmail) {
  return database
    .updateTable('outbox')
    .where('id', '=', id)
    .where('lastAttemptAt', '=', lastAttemptAt)
    .where('leasedUntil', 'is not', null)
}

/** Also without effect when the email was given up during the attempt, because the reason for that must stay. */
function updateWaiting(database: Kysely<Tables>, email: LeasedEmail) {
  return updateLeased(database, email).where('failedAt', 'is', null)
}
