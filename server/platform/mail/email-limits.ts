import type { Kysely } from 'kysely'
import { hashToken } from '../crypto/tokens.ts'
import { compileOnce, RESULT_UNUSED } from '../database/compile-once.ts'
import { deleteSome } from '../database/delete-some.ts'
import type { Tables } from '../database/tables.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../time/time-units.ts'
import type { Email, EmailKind } from './email.ts'
import { isOfKind } from './email-kind.ts'

/** Emails of one kind to one recipient in an hour, so that a form can't fill a mailbox. */
const EMAILS_PER_HOUR = 5

/** The owners of some organizations must not use up the limit of a notice about another organization. */
const COUNTED_BY_SUBJECT: ReadonlySet<EmailKind> = new Set(['ownership ended', 'ownership given', 'ownership received'])

/** The lock keeps the count exact until the end of the transaction. @returns milliseconds; 0 when allowed now */
export async function lockRecipientLimit(
  transaction: Kysely<Tables>,
  now: number,
  { recipient, kind, subjectId }: Pick<Email, 'recipient' | 'kind' | 'subjectId'>,
): Promise<number> {
  const countedSubjectId = COUNTED_BY_SUBJECT.has(kind) ? subjectId : undefined
  await lockLimit(transaction, { key: keyOf(kind, recipient, countedSubjectId), now })
  const waits = await readRecipientWaits(transaction, now, kind, [recipient], countedSubjectId)
  return waits.get(recipient) ?? 0
}

const lockLimit = compileOnce(
  (database, { key, now }: { key: string; now: number }) => insertLimits(database, now, [key]),
  RESULT_UNUSED,
)

/** `lockRecipientLimit` for several recipients. @returns recipient → milliseconds */
export async function lockRecipientLimits(
  transaction: Kysely<Tables>,
  now: number,
  kind: EmailKind,
  recipients: string[],
): Promise<Map<string, number>> {
  const keys = recipients.map((recipient) => keyOf(kind, recipient))
  // One order of locks prevents deadlocks between transactions with the same recipients.
  await insertLimits(transaction, now, keys.toSorted()).execute()
  return readRecipientWaits(transaction, now, kind, recipients)
}

function keyOf(kind: EmailKind, recipient: string, subjectId?: string): string {
  return hashToken([kind, recipient, ...(subjectId === undefined ? [] : [subjectId])].join(' '))
}

function insertLimits(database: Kysely<Tables>, now: number, keys: string[]) {
  return database
    .insertInto('emailLimits')
    .values(keys.map((key) => ({ key, usedAt: now })))
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ usedAt: now }))
}

/** Not exact, because nothing is locked. Emails given up before an attempt do not count. @returns milliseconds */
export async function readRecipientWaits(
  database: Kysely<Tables>,
  now: number,
  kind: EmailKind,
  recipients: string[],
  subjectId?: string,
): Promise<Map<string, number>> {
  const emails = await database
    .selectFrom('outbox')
    .select(['recipient', 'createdAt'])
    .where('recipient', 'in', recipients)
    .where('kind', '=', kind)
    .$if(subjectId !== undefined, (query) => query.where('subjectId', '=', subjectId ?? ''))
    .where('createdAt', '>', now - HOUR_MILLISECONDS)
    // Emails with a later time come from a clock that was ahead, and must not count.
    .where('createdAt', '<', now + HOUR_MILLISECONDS)
    .where(({ or, eb }) => or([eb('failedAt', 'is', null), eb('lastAttemptAt', 'is not', null)]))
    .orderBy('createdAt', 'desc')
    .execute()
  const byRecipient = Map.groupBy(emails, ({ recipient }) => recipient)
  const waitFor = (recipient: string) => {
    const times = (byRecipient.get(recipient) ?? []).map(({ createdAt }) => createdAt)
    return waitForNext(times, EMAILS_PER_HOUR, HOUR_MILLISECONDS, now)
  }
  return new Map(recipients.map((recipient) => [recipient, waitFor(recipient)]))
}

/** Counts emails to all recipients, also unsent ones. The caller has locked the subject. @returns milliseconds */
export async function readSubjectWait(
  transaction: Kysely<Tables>,
  now: number,
  kind: EmailKind,
  subjectId: string,
): Promise<number> {
  const emails = await transaction
    .selectFrom('outbox')
    .select('createdAt')
    .where('subjectId', '=', subjectId)
    .where(isOfKind(kind))
    .where('createdAt', '>', now - HOUR_MILLISECONDS)
    .where('createdAt', '<', now + HOUR_MILLISECONDS)
    .execute()
  const times = emails.map(({ createdAt }) => createdAt).toSorted((one, other) => other - one)
  return waitForNext(times, EMAILS_PER_HOUR, HOUR_MILLISECONDS, now)
}

/** @param times newest first @returns milliseconds until the next event; 0 when it is allowed now */
export function waitForNext(times: number[], limit: number, windowMilliseconds: number, now: number): number {
  const oldest = times[limit - 1]
  return oldest === undefined ? 0 : oldest + windowMilliseconds - now
}

/** Newest first. The caller has locked the organization. */
export async function listInvitationTimes(
  transaction: Kysely<Tables>,
  now: number,
  organizationId: string,
  limit: number,
): Promise<number[]> {
  const emails = await transaction
    .selectFrom('outbox')
    .select('createdAt')
    .where('organizationId', '=', organizationId)
    .where('createdAt', '>', now - DAY_MILLISECONDS)
    .where('createdAt', '<', now + DAY_MILLISECONDS)
    .orderBy('createdAt', 'desc')
    .limit(limit)
    .execute()
  return emails.map(({ createdAt }) => createdAt)
}

export function deleteUnusedLimits(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const limits = database
    .selectFrom('emailLimits')
    .select('key')
    .where('usedAt', '<=', now - HOUR_MILLISECONDS)
  return deleteSome(database, 'emailLimits', 'key', limits, limit)
}
