import type { Kysely } from 'kysely'
import type { Tables, UserRow } from '../../platform/database/tables.ts'
import type { PersonalFacts } from './personal-words.ts'

/** Limits the cost of the comparison. */
const ORGANIZATIONS_MAXIMUM = 50

export async function getPersonalFacts(
  database: Kysely<Tables>,
  { id, email, name }: Pick<UserRow, 'id' | 'email' | 'name'>,
): Promise<PersonalFacts> {
  const organizations = await database
    .selectFrom('organizations')
    .innerJoin('members', 'members.organizationId', 'organizations.id')
    .select('organizations.name')
    .where('members.userId', '=', id)
    .orderBy('members.createdAt')
    .limit(ORGANIZATIONS_MAXIMUM)
    .execute()
  return { email, name, organizationNames: organizations.map((organization) => organization.name) }
}
