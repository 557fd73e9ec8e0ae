import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { OutboxRow, Tables } from '../database/tables.ts'
import { ApiError } from '../http/errors.ts'
import { newId } from '../secrets/tokens.ts'
import { lockRecipientLimit } from './email-limits.ts'
import { type Letter, type RenderedLetter, renderLetter } from './letter.ts'

/**
 * Puts a letter into the outbox, in the transaction of what caused it: there is no letter without its cause and no
 * cause without its letter. It is sealed, because its link opens something.
 * @returns the letter's id
 */
export function enqueueLetter(transaction: Kysely<Tables>, context: Context, letter: Letter): Promise<string> {
  return insertLetter(transaction, context, letter, null)
}

/**
 * For a form that anyone can send: enqueues the email if the address is known and the recipient's limit allows it.
 * Otherwise it takes the same steps and sends nothing, so that neither answer nor time tells whether an address is known.
 */
export async function enqueueIfKnown(
  transaction: Kysely<Tables>,
  context: Context,
  letter: Letter,
  isKnown: boolean,
): Promise<void> {
  const waitMilliseconds = await lockRecipientLimit(transaction, context.now(), letter)
  if (isKnown && waitMilliseconds === 0) await enqueueLetter(transaction, context, letter)
  else await insertLetter(transaction, context, { ...letter, recipient: '' }, 'there is nobody to send it to')
}

/** For what a user has sent to a known recipient. @throws ApiError TOO_MANY_REQUESTS when the recipient's limit is reached */
export async function enqueueWithinLimit(
  transaction: Kysely<Tables>,
  context: Context,
  letter: Letter,
): Promise<string> {
  const waitMilliseconds = await lockRecipientLimit(transaction, context.now(), letter)
  if (waitMilliseconds > 0) {
    throw new ApiError('TOO_MANY_REQUESTS', {
      message: 'We have sent several of these emails to this address already. Wait a little and try again.',
      retryAfterSeconds: Math.ceil(waitMilliseconds / 1000),
    })
  }
  return enqueueLetter(transaction, context, letter)
}

async function insertLetter(
  transaction: Kysely<Tables>,
  context: Context,
  letter: Letter,
  discardReason: string | null,
): Promise<string> {
  const id = newId('let', context)
  const now = context.now()
  const sealedLetter = context.sealer.seal('letter', JSON.stringify(renderLetter(letter)))
  await transaction
    .insertInto('outbox')
    .values({
      id,
      kind: letter.kind,
      recipient: letter.recipient,
      subjectId: letter.subjectId ?? null,
      organizationId: letter.organizationId ?? null,
      priority: letter.priority === 'low' ? 1 : 0,
      sealedLetter: discardReason === null ? sealedLetter : null,
      createdAt: now,
      attempts: 0,
      lastAttemptAt: null,
      nextAttemptAt: now,
      leasedUntil: null,
      sentAt: null,
      failedAt: discardReason === null ? null : now,
      lastError: discardReason,
    })
    .execute()
  return id
}

export interface WaitingLetter {
  id: string
  recipient: string
  attempts: number
  letter: RenderedLetter
}

/**
 * Takes the letter that has waited longest, for a while: of several workers, in whatever process, one gets it; if that
 * one dies, the letter is free again when the lease is over.
 */
export async function leaseLetter(context: Context, leaseMilliseconds: number): Promise<WaitingLetter | undefined> {
  const { database, sealer } = context
  const now = context.now()
  const next = await database
    .selectFrom('outbox')
    .select(['id', 'attempts'])
    .where('sentAt', 'is', null)
    .where('failedAt', 'is', null)
    .where('nextAttemptAt', '<=', now)
    .where((where) => where.or([where('leasedUntil', 'is', null), where('leasedUntil', '<=', now)]))
    .orderBy('nextAttemptAt')
    .limit(1)
    .executeTakeFirst()
  if (!next) return undefined
  const leased = await database
    .updateTable('outbox')
    .set({ leasedUntil: now + leaseMilliseconds, attempts: next.attempts + 1, lastAttemptAt: now })
    .where('id', '=', next.id)
    .where('attempts', '=', next.attempts)
    .returningAll()
    .executeTakeFirst()
  if (!leased?.sealedLetter) return leaseLetter(context, leaseMilliseconds)
  const { id, recipient, attempts } = leased
  return { id, recipient, attempts, letter: JSON.parse(sealer.open('letter', leased.sealedLetter)) as RenderedLetter }
}

/** The mail server has it: its text, and the link in it, are forgotten. */
export async function markSent(context: Context, id: string, answer: string): Promise<void> {
  await settle(context, id, { sentAt: context.now(), sealedLetter: null, lastError: answer })
}

export async function markFailed(context: Context, id: string, error: string): Promise<void> {
  await settle(context, id, { failedAt: context.now(), sealedLetter: null, lastError: error })
}

export async function markDelayed(
  context: Context,
  id: string,
  error: string,
  delayMilliseconds: number,
): Promise<void> {
  await settle(context, id, { nextAttemptAt: context.now() + delayMilliseconds, lastError: error })
}

async function settle(
  { database }: Context,
  id: string,
  change: { sentAt?: number; failedAt?: number; nextAttemptAt?: number; sealedLetter?: null; lastError: string },
): Promise<void> {
  await database
    .updateTable('outbox')
    .set({ ...change, leasedUntil: null })
    .where('id', '=', id)
    .execute()
}

const REMEMBERED_MILLISECONDS = 90 * 24 * 3_600_000

/** Some of the letters that were settled and are three months old; of several processes each takes others. @returns how many */
export async function deleteSettledLetters(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('outbox')
    .where('id', 'in', (letters) =>
      letters
        .selectFrom('outbox')
        .select('id')
        .where('createdAt', '<=', now - REMEMBERED_MILLISECONDS)
        .where((where) => where.or([where('sentAt', 'is not', null), where('failedAt', 'is not', null)]))
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** What became of a letter. */
export type LetterFate = Pick<OutboxRow, 'createdAt' | 'lastAttemptAt' | 'sentAt' | 'failedAt' | 'lastError'> & {
  subjectId: string
}

/** The letters about certain things, oldest first. */
export async function listLetterFates(database: Kysely<Tables>, subjectIds: string[]): Promise<LetterFate[]> {
  if (subjectIds.length === 0) return []
  const rows = await database
    .selectFrom('outbox')
    .select(['subjectId', 'createdAt', 'lastAttemptAt', 'sentAt', 'failedAt', 'lastError'])
    .where('subjectId', 'in', subjectIds)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows as LetterFate[]
}

/** Takes back what has not been sent to an address yet. */
export async function withdrawLetters(database: Kysely<Tables>, recipient: string): Promise<void> {
  await database.deleteFrom('outbox').where('recipient', '=', recipient).where('sentAt', 'is', null).execute()
}
