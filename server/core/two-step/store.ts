import type { Kysely } from 'kysely'
import { deleteSome } from '../../platform/database/delete-some.ts'
import type {
  SecondStepFailuresRow,
  SecondStepMethod,
  SecondStepRow,
  SessionRow,
  Tables,
  UserRow,
} from '../../platform/database/tables.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../platform/time/time-units.ts'

/** The time between `enable` and the first code. */
const SETUP_MILLISECONDS = HOUR_MILLISECONDS

/** Includes setups that have expired. */
export function findSecondStep(
  database: Kysely<Tables>,
  userId: string,
  method: SecondStepMethod,
): Promise<SecondStepRow | undefined> {
  return database
    .selectFrom('secondSteps')
    .selectAll()
    .where('userId', '=', userId)
    .where('method', '=', method)
    .executeTakeFirst()
}

interface SecondStepOwner {
  user: Pick<UserRow, 'id'>
  caller?: { session: Pick<SessionRow, 'id'> } | undefined
}

/** An intruder may have begun the setup of another session. A sign-in (without caller) must not finish with a setup. */
export async function findUsableSecondStep(
  database: Kysely<Tables>,
  now: number,
  { user, caller }: SecondStepOwner,
  method: SecondStepMethod,
): Promise<SecondStepRow | undefined> {
  const step = await findSecondStep(database, user.id, method)
  return step && (step.verifiedAt !== null || isSetupOf(caller?.session.id, step, now)) ? step : undefined
}

/** A time in the future comes from a clock that was ahead, so it counts within an hour only. */
function isSetupOf(sessionId: string | undefined, setup: SecondStepRow, now: number): boolean {
  if (sessionId === undefined || Math.abs(now - setup.createdAt) >= SETUP_MILLISECONDS) return false
  return setup.sessionId === null || setup.sessionId === sessionId
}

/** A user has at most one. */
export function findVerifiedSecondStep(database: Kysely<Tables>, userId: string): Promise<SecondStepRow | undefined> {
  return database
    .selectFrom('secondSteps')
    .selectAll()
    .where('userId', '=', userId)
    .where('verifiedAt', 'is not', null)
    .executeTakeFirst()
}

export async function insertSecondSteps(transaction: Kysely<Tables>, rows: SecondStepRow[]): Promise<void> {
  if (rows.length > 0) await transaction.insertInto('secondSteps').values(rows).execute()
}

/** The foreign key deletes the recovery codes of the second step. */
export async function deleteSecondStep(
  transaction: Kysely<Tables>,
  userId: string,
  method: SecondStepMethod,
): Promise<void> {
  await transaction.deleteFrom('secondSteps').where('userId', '=', userId).where('method', '=', method).execute()
}

export async function deleteSetups(transaction: Kysely<Tables>, userId: string): Promise<void> {
  await transaction.deleteFrom('secondSteps').where('userId', '=', userId).where('verifiedAt', 'is', null).execute()
}

/** One lifetime late, because a verification of another process, whose clock differs, must not lose its row. */
export function deleteExpiredSetups(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const expired = database
    .selectFrom('secondSteps')
    .select(['userId', 'method'])
    .where('verifiedAt', 'is', null)
    .where('createdAt', '<=', now - 2 * SETUP_MILLISECONDS)
  return deleteSome(database, 'secondSteps', ['userId', 'method'], expired, limit)
}

export async function deleteAllSetups(transaction: Kysely<Tables>): Promise<void> {
  await transaction.deleteFrom('secondSteps').where('verifiedAt', 'is', null).execute()
}

export async function deleteSecondSteps(transaction: Kysely<Tables>, userId: string): Promise<void> {
  await transaction.deleteFrom('secondSteps').where('userId', '=', userId).execute()
}

export async function updateSecondStep(
  transaction: Kysely<Tables>,
  { userId, method }: Pick<SecondStepRow, 'userId' | 'method'>,
  change: Partial<Omit<SecondStepRow, 'userId' | 'method'>>,
): Promise<void> {
  await transaction
    .updateTable('secondSteps')
    .set(change)
    .where('userId', '=', userId)
    .where('method', '=', method)
    .execute()
}

/** The time steps of one day. */
const TIME_STEPS_AHEAD_MAXIMUM = 2880

/**
 * One statement decides which of several requests uses the code of a time step. A time step from a clock that was ahead
 * must not lock the user out.
 * @returns false when the code of this time step or of a later one was used before
 */
export async function consumeTimeStep(transaction: Kysely<Tables>, userId: string, timeStep: number): Promise<boolean> {
  const used = await transaction
    .updateTable('secondSteps')
    .set({ usedStep: timeStep })
    .where('userId', '=', userId)
    .where('method', '=', 'totp')
    .where((where) =>
      where.or([
        where('usedStep', 'is', null),
        where('usedStep', '<', timeStep),
        where('usedStep', '>', timeStep + TIME_STEPS_AHEAD_MAXIMUM),
      ]),
    )
    .returning('userId')
    .executeTakeFirst()
  return used !== undefined
}

export function findFailures(database: Kysely<Tables>, userId: string): Promise<SecondStepFailuresRow | undefined> {
  return database.selectFrom('secondStepFailures').selectAll().where('userId', '=', userId).executeTakeFirst()
}

export async function saveFailures(transaction: Kysely<Tables>, row: SecondStepFailuresRow): Promise<void> {
  const { count, expiresAt } = row
  await transaction
    .insertInto('secondStepFailures')
    .values(row)
    .onConflict((conflict) => conflict.column('userId').doUpdateSet({ count, expiresAt }))
    .execute()
}

export async function deleteFailures(transaction: Kysely<Tables>, userId: string): Promise<void> {
  await transaction.deleteFrom('secondStepFailures').where('userId', '=', userId).execute()
}

/** A day late, because a process whose clock is behind may still count the failures. */
export function deleteExpiredFailures(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const expired = database
    .selectFrom('secondStepFailures')
    .select('userId')
    .where('expiresAt', '<=', now - DAY_MILLISECONDS)
  return deleteSome(database, 'secondStepFailures', 'userId', expired, limit)
}

export function listEncryptedSecrets(database: Kysely<Tables>, afterUserId: string, limit: number) {
  return database
    .selectFrom('secondSteps')
    .select(['userId', 'encryptedSecret'])
    .where('encryptedSecret', 'is not', null)
    .where('userId', '>', afterUserId)
    .orderBy('userId')
    .limit(limit)
    .execute()
}

/** Compare-and-set: a secret that was replaced concurrently is not overwritten. */
export async function saveEncryptedSecret(
  database: Kysely<Tables>,
  userId: string,
  { former, renewed }: { former: string; renewed: string },
): Promise<void> {
  await database
    .updateTable('secondSteps')
    .set({ encryptedSecret: renewed })
    .where('userId', '=', userId)
    .where('encryptedSecret', '=', former)
    .execute()
}

export async function deleteAllMailedCodes(transaction: Kysely<Tables>): Promise<void> {
  await transaction.updateTable('secondSteps').set({ codeMac: null, codeExpiresAt: null }).execute()
}
