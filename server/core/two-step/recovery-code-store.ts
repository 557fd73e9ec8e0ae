import type { Kysely } from 'kysely'
import { countMatching } from '../../platform/database/count-matching.ts'
import type { SecondStepRow, Tables } from '../../platform/database/tables.ts'

export async function replaceRecoveryCodes(
  transaction: Kysely<Tables>,
  { userId, method }: Pick<SecondStepRow, 'userId' | 'method'>,
  codeHashes: string[],
): Promise<void> {
  await transaction.deleteFrom('recoveryCodes').where('userId', '=', userId).where('method', '=', method).execute()
  await transaction
    .insertInto('recoveryCodes')
    .values(codeHashes.map((codeHash) => ({ codeHash, userId, method })))
    .execute()
}

/** One statement decides, so that a code works once. @returns whether the second step had the code */
export async function consumeRecoveryCode(
  transaction: Kysely<Tables>,
  { userId, method }: Pick<SecondStepRow, 'userId' | 'method'>,
  codeHash: string,
): Promise<boolean> {
  const used = await transaction
    .deleteFrom('recoveryCodes')
    .where('codeHash', '=', codeHash)
    .where('userId', '=', userId)
    .where('method', '=', method)
    .returning('codeHash')
    .executeTakeFirst()
  return used !== undefined
}

export function countRecoveryCodes(
  database: Kysely<Tables>,
  { userId, method }: Pick<SecondStepRow, 'userId' | 'method'>,
): Promise<number> {
  return countMatching(database.selectFrom('recoveryCodes').where('userId', '=', userId).where('method', '=', method))
}

export async function listRecoveryCodeHashes(
  database: Kysely<Tables>,
  { userId, method }: Pick<SecondStepRow, 'userId' | 'method'>,
): Promise<string[]> {
  const rows = await database
    .selectFrom('recoveryCodes')
    .select('codeHash')
    .where('userId', '=', userId)
    .where('method', '=', method)
    .execute()
  return rows.map(({ codeHash }) => codeHash)
}

export async function deleteOtherRecoveryCodes(
  transaction: Kysely<Tables>,
  { userId, method }: Pick<SecondStepRow, 'userId' | 'method'>,
  remainingHashes: string[],
): Promise<number> {
  const { numDeletedRows } = await transaction
    .deleteFrom('recoveryCodes')
    .where('userId', '=', userId)
    .where('method', '=', method)
    .$if(remainingHashes.length > 0, (query) => query.where('codeHash', 'not in', remainingHashes))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
