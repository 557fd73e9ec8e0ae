import type { PlatformContext } from '../context.ts'
import type { OutboxRow } from '../database/tables.ts'

/** Longer than an attempt can take: opening a conversation and sending one email each have a deadline of 45 seconds. */
const LEASE_MILLISECONDS = 120_000
/** Of an email that the server defers again and again. */
export const LONGEST_DELAY_MILLISECONDS = 30 * 60_000

/** Longer than any delay or lease, and than clocks of several machines differ: written by a clock that was ahead. */
const IMPOSSIBLE_MILLISECONDS = 60 * 60_000

export type LeasedEmail = Pick<OutboxRow, 'id' | 'recipient' | 'attempts'> & {
  encryptedEmail: string
  /** Names the lease: an attempt that outlived it must not settle what another process has taken over. */
  leasedUntil: number
}

/**
 * Takes the most urgent email that is due. One statement decides, so that one process gets it. If that process ends, the
 * email is free again when the lease is over.
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

/** The mail server has it: its text, and the link in it, are deleted. */
export async function markSent(context: PlatformContext, email: LeasedEmail, answer: string): Promise<void> {
  await settle(context, email, { sentAt: context.now(), encryptedEmail: null, lastError: answer })
}

/** The encrypted text stays for a day, so that the email can be sent again. */
export async function markFailed(context: PlatformContext, email: LeasedEmail, reason: string): Promise<void> {
  await settle(context, email, { failedAt: context.now(), lastError: reason })
}

/** @param attempts how many attempts count against the email */
export async function markDelayed(
  context: PlatformContext,
  email: LeasedEmail,
  { answer, attempts, delayMilliseconds }: { answer: string; attempts: number; delayMilliseconds: number },
): Promise<void> {
  await settle(context, email, { nextAttemptAt: context.now() + delayMilliseconds, attempts, lastError: answer })
}

async function settle({ database }: PlatformContext, email: LeasedEmail, change: Partial<OutboxRow>): Promise<void> {
  await database
    .updateTable('outbox')
    .set({ ...change, leasedUntil: null })
    .where('id', '=', email.id)
    .where('leasedUntil', '=', email.leasedUntil)
    .execute()
}
