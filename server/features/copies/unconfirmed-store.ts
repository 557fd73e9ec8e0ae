import { type Kysely, sql } from 'kysely'
import { chunksOf } from '../../platform/database/chunks.ts'
import type { Tables } from '../../platform/database/tables.ts'

export interface UnconfirmedCredential {
  id: string
  kind: 'API key' | 'OAuth client'
  name: string
  organizationId: string | null
  /** Null for a client of the service. */
  organizationName: string | null
}

/** Updates existing rows: the row of an earlier restore stays after the owner has enabled the credential. */
export async function insertUnconfirmed(transaction: Kysely<Tables>, ids: string[], disabledAt: number): Promise<void> {
  const rows = ids.map((id) => ({ id, disabledAt }))
  for (const chunk of chunksOf(rows))
    await transaction
      .insertInto('unconfirmedCredentials')
      .values(chunk)
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ disabledAt }))
      .execute()
}

/** Credentials that have not changed since a restore disabled them. */
export function listUnconfirmed(database: Kysely<Tables>): Promise<UnconfirmedCredential[]> {
  return readUnconfirmed(database, false)
}

/** Leaves out credentials that an owner changes concurrently. */
export function lockUnconfirmedForUpdate(transaction: Kysely<Tables>): Promise<UnconfirmedCredential[]> {
  return readUnconfirmed(transaction, true)
}

async function readUnconfirmed(database: Kysely<Tables>, isLocking: boolean): Promise<UnconfirmedCredential[]> {
  const waiting = database.selectFrom('unconfirmedCredentials')
  const apiKeys = await waiting
    .innerJoin('apiKeys', (join) =>
      join
        .onRef('apiKeys.id', '=', 'unconfirmedCredentials.id')
        .onRef('apiKeys.updatedAt', '=', 'unconfirmedCredentials.disabledAt'),
    )
    .innerJoin('organizations', 'organizations.id', 'apiKeys.organizationId')
    .select(['apiKeys.id', 'apiKeys.name', 'apiKeys.organizationId', 'organizations.name as organizationName'])
    .select(sql.lit('API key' as const).as('kind'))
    .orderBy('apiKeys.id')
    .$if(isLocking, (query) => query.forUpdate('apiKeys'))
    .execute()
  const clients = await waiting
    .innerJoin('oauthClients', (join) =>
      join
        .onRef('oauthClients.id', '=', 'unconfirmedCredentials.id')
        .onRef('oauthClients.updatedAt', '=', 'unconfirmedCredentials.disabledAt'),
    )
    .leftJoin('organizations', 'organizations.id', 'oauthClients.organizationId')
    .select(['oauthClients.id', 'oauthClients.name', 'oauthClients.organizationId'])
    .select(['organizations.name as organizationName', sql.lit('OAuth client' as const).as('kind')])
    .orderBy('oauthClients.id')
    .$if(isLocking, (query) => query.forUpdate('oauthClients'))
    .execute()
  return [...apiKeys, ...clients]
}

export async function deleteUnconfirmed(transaction: Kysely<Tables>, ids: string[]): Promise<void> {
  await transaction.deleteFrom('unconfirmedCredentials').where('id', 'in', ids).execute()
}
