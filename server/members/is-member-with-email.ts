import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { findMemberByEmail } from './store.ts'

export async function isMemberWithEmail(
  database: Kysely<Tables>,
  organizationId: string,
  email: string,
): Promise<boolean> {
  return (await findMemberByEmail(database, organizationId, email)) !== undefined
}
