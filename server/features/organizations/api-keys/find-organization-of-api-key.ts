import type { Kysely } from 'kysely'
import type { Tables } from '../../../platform/database/tables.ts'
import { findApiKey } from './store.ts'

/** The id of the organization that owns a key; undefined when there is no such key. */
export async function findOrganizationOfApiKey(database: Kysely<Tables>, keyId: string): Promise<string | undefined> {
  return (await findApiKey(database, keyId))?.organizationId
}
