import type { PlatformContext } from '../context.ts'
import type { OutboxRow } from '../database/tables.ts'

/** Longer than an attempt: connecting and sending each have a deadline of 45 seconds. */
const LEASE_MILLISECONDS = 120_000
export const LONGEST_DELAY_MILLISECONDS = 30 * 60_000

/** A later time was written by a clock that was ahead: delays, leases and differences between clocks are shorter. */
const IMPOSSIBLE_MILLISECONDS = 60 * 60_000

export type LeasedEmail = Pick<OutboxRow, 'id' | 'recipient' | 'attempts'> & {
  encryptedEmail: string
  /** Identifies the lease. A result after its end must not overwrite the one of another process. */
  leasedUntil: number
}

/**
 * Leases the most urgent email that is due, in one statement, so that only one process gets it. If that process crashes, the
 * email is due again after the lease.
 */
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
        .where(({ or, eb }) => or([eb('nextAttemptAt', '<=', at), eb('nextAttemptAt', '>', impossible)]))
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
    .returning(['id', 'recipient', 'attempts', 'encryptedEmail', 'leasedUntil'])
    .executeTakeFirst()
  return leased as LeasedEmail | undefined
}

/** Deletes the text, because it contains a link with a token. */
export async function markSent(context: PlatformContext, email: LeasedEmail, answer: string): Promise<void> {
  await storeResult(context, email, { sentAt: context.now(), encryptedEmail: null, lastError: answer })
}

/** Leaves the encrypted text for a day, so that the email can be sent again. */
export async function markFailed(context: PlatformContext, email: LeasedEmail, reason: string): Promise<void> {
  await storeResult(context, email, { failedAt: context.now(), lastError: reason })
}

/** @param attempts the new count of attempts */
export async function markDelayed(
  context: PlatformContext,
  email: LeasedEmail,
  { answer, attempts, delayMilliseconds }: { answer: string; attempts: number; delayMilliseconds: number },
): Promise<void> {
  await storeResult(context, email, { nextAttemptAt: context.now() + delayMilliseconds, attempts, lastError: answer })
}

async function storeResult(
  { database }: PlatformContext,
  email: LeasedEmail,
  change: Partial<OutboxRow>,
): Promise<void> {
  await database
    .updateTable('outbox')
    .set({ ...change, leasedUntil: null })
    .where('id', '=', email.id)
    .where('leasedUntil', '=', email.leasedUntil)
    .execute()
}
