import type { Kysely } from 'kysely'
import { findMemberByEmail } from '../../../core/memberships/store.ts'
import type { Tables } from '../../../platform/database/tables.ts'

export async function isMemberWithEmail(
  database: Kysely<Tables>,
  organizationId: string,
  email: string,
): Promise<boolean> {
  return (await findMemberByEmail(database, organizationId, email)) !== undefined
}
