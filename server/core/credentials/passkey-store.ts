import type { Kysely } from 'kysely'
import type { PasskeyRow, Tables } from '../../platform/database/tables.ts'

export function listPasskeysOfUser(database: Kysely<Tables>, userId: string): Promise<PasskeyRow[]> {
  return database
    .selectFrom('passkeys')
    .selectAll()
    .where('userId', '=', userId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

export function findPasskey(database: Kysely<Tables>, credentialID: string): Promise<PasskeyRow | undefined> {
  return database.selectFrom('passkeys').selectAll().where('credentialID', '=', credentialID).executeTakeFirst()
}

/** The unique index decides between concurrent inserts. @returns undefined when the credential is registered already */
export function insertPasskey(database: Kysely<Tables>, passkey: PasskeyRow): Promise<PasskeyRow | undefined> {
  return database
    .insertInto('passkeys')
    .values(passkey)
    .onConflict((conflict) => conflict.column('credentialID').doNothing())
    .returningAll()
    .executeTakeFirst()
}

export async function insertPasskeys(transaction: Kysely<Tables>, passkeys: PasskeyRow[]): Promise<void> {
  await transaction.insertInto('passkeys').values(passkeys).execute()
}

export async function updatePasskeyAfterUse(
  database: Kysely<Tables>,
  id: string,
  change: Pick<PasskeyRow, 'counter' | 'deviceType' | 'backedUp' | 'lastUsedAt'>,
): Promise<void> {
  await database.updateTable('passkeys').set(change).where('id', '=', id).execute()
}

/** GHSA-4vcf-q4xf-f48m: the condition has the user, so a passkey of another user is not found. */
export function updatePasskeyName(
  database: Kysely<Tables>,
  userId: string,
  id: string,
  name: string,
): Promise<PasskeyRow | undefined> {
  return database
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('userId', '=', userId)
    .returningAll()
    .executeTakeFirst()
}

export async function deletePasskeyRow(database: Kysely<Tables>, userId: string, id: string): Promise<void> {
  await database.deleteFrom('passkeys').where('id', '=', id).where('userId', '=', userId).execute()
}

export function deletePasskeysOfUser(
  database: Kysely<Tables>,
  userId: string,
): Promise<Pick<PasskeyRow, 'id' | 'name'>[]> {
  return database.deleteFrom('passkeys').where('userId', '=', userId).returning(['id', 'name']).execute()
}
