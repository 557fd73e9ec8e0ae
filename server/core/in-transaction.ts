import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import { compileOnce } from '../platform/database/compile-once.ts'
import type { Tables } from '../platform/database/tables.ts'
import { ApiError } from '../platform/http/errors.ts'
import { type PreparedEmail, sendEmail } from '../platform/mail/outbox.ts'
import type { Actor } from './audit/actor.ts'
import { type AuditEvent, recordEvent, recordEvents } from './audit/record-event.ts'
import type { Context } from './context.ts'

/** One transaction: a change, its audit events and its emails are committed together. */
export interface UnitOfWork {
  transaction: Kysely<Tables>
  context: Context
  actor: Actor
  /** Hashes of the session tokens that the transaction itself has revoked or replaced. */
  endedTokenHashes: Set<string>
  record(event: AuditEvent): Promise<void>
  recordAll(events: AuditEvent[]): Promise<void>
  /** @returns the id of the email */
  send(email: PreparedEmail): Promise<string>
}

const selectSession = compileOnce((database, { tokenHash }: { tokenHash: string }) =>
  database.selectFrom('sessions').select('id').where('tokenHash', '=', tokenHash),
)

/**
 * Hashing, signing, rendering and encryption come before the transaction, because it holds locks until its end. An
 * error rolls everything back.
 * @throws ApiError UNAUTHORIZED when the session that the route requires was revoked, or got a new token, concurrently
 */
export function inTransaction<Result>(
  context: Context,
  actor: Actor,
  work: (unit: UnitOfWork) => Promise<Result>,
): Promise<Result> {
  return context.database.transaction().execute(async (transaction) => {
    const unit = createUnit(transaction, context, actor)
    const result = await work(unit)
    await assertSessionLives(unit)
    return result
  })
}

/** Runs last, because the work may wait for locks. A revoked session or a replaced token must change nothing. */
async function assertSessionLives({ transaction, actor, endedTokenHashes }: UnitOfWork): Promise<void> {
  const tokenHash = actor.requiredTokenHash
  if (tokenHash === null || endedTokenHashes.has(tokenHash)) return
  if ((await selectSession(transaction, { tokenHash })).length === 0) throw new ApiError('UNAUTHORIZED')
}

/** The same transaction with the user as actor, for a request that authenticates the user itself, such as a sign-in. */
export function asUser(unit: UnitOfWork, userId: string): UnitOfWork {
  const { transaction, context, actor, endedTokenHashes } = unit
  return { ...createUnit(transaction, context, { ...actor, actorId: userId }), endedTokenHashes }
}

/** For a transaction that is begun elsewhere, without the check of the session. */
export function createUnit(transaction: Kysely<Tables>, context: Context, actor: Actor): UnitOfWork {
  return {
    transaction,
    context,
    actor,
    endedTokenHashes: new Set(),
    record: (event) => recordEvent(transaction, context, actor, event),
    recordAll: (events) => recordEvents(transaction, context, actor, events),
    send: (email) => sendEmail({ transaction, context }, email),
  }
}

/**
 * Prepares an email before a transaction, from rows that the transaction locks later. The returned function gets the
 * locked rows, and prepares again if they were changed concurrently.
 */
export function prepareEmailFrom<Rows, Prepared>(
  rows: Rows,
  prepare: (rows: Rows) => Prepared,
): (lockedRows: Rows) => Prepared {
  const prepared = prepare(rows)
  return (lockedRows) => (isDeepStrictEqual(lockedRows, rows) ? prepared : prepare(lockedRows))
}
