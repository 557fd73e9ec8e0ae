import type { Kysely } from 'kysely'
import type { PasskeyRow, Tables } from '../../platform/database/tables.ts'

/** In the order in which they were added. */
export function listPasskeysOf(database: Kysely<Tables>, userId: string): Promise<PasskeyRow[]> {
  return database
    .selectFrom('passkeys')
    .selectAll()
    .where('userId', '=', userId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

export function findPasskeyOfCredential(
  database: Kysely<Tables>,
  credentialID: string,
): Promise<PasskeyRow | undefined> {
  return database.selectFrom('passkeys').selectAll().where('credentialID', '=', credentialID).executeTakeFirst()
}

/** The unique index decides who is first: undefined when the credential is registered. */
export function insertPasskey(database: Kysely<Tables>, passkey: PasskeyRow): Promise<PasskeyRow | undefined> {
  return database
    .insertInto('passkeys')
    .values(passkey)
    .onConflict((conflict) => conflict.column('credentialID').doNothing())
    .returningAll()
    .executeTakeFirst()
}

export async function updateAfterUse(
  database: Kysely<Tables>,
  id: string,
  change: Pick<PasskeyRow, 'counter' | 'deviceType' | 'backedUp'>,
): Promise<void> {
  await database.updateTable('passkeys').set(change).where('id', '=', id).execute()
}

/** The owner stands in the condition: another's passkey is as good as none (GHSA-4vcf-q4xf-f48m). */
export function updateName(
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

export async function removePasskey(database: Kysely<Tables>, userId: string, id: string): Promise<void> {
  await database.deleteFrom('passkeys').where('id', '=', id).where('userId', '=', userId).execute()
}

export async function removePasskeysOf(database: Kysely<Tables>, userId: string): Promise<void> {
  await database.deleteFrom('passkeys').where('userId', '=', userId).execute()
}
