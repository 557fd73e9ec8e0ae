import type { Kysely } from 'kysely'
import { countMatching } from '../../platform/database/count-matching.ts'
import { hasMoreThan } from '../../platform/database/has-more-than.ts'
import type { MemberRow, Tables, UserRow } from '../../platform/database/tables.ts'
import { isNotBanned } from '../users/banned.ts'

/** Banned owners do not count. The transaction has locked the organization: another owner could leave concurrently. */
export function hasOtherOwner(
  database: Kysely<Tables>,
  { organizationId, id }: MemberRow,
  now: number,
): Promise<boolean> {
  const others = selectOwners(database, organizationId, now).select('members.id').where('members.id', '<>', id)
  return hasMoreThan(others, 0)
}

export function countOwners(database: Kysely<Tables>, organizationId: string, now: number): Promise<number> {
  return countMatching(selectOwners(database, organizationId, now))
}

export function listSomeOwners(
  database: Kysely<Tables>,
  organizationId: string,
  now: number,
  limit: number,
): Promise<Pick<UserRow, 'id' | 'email'>[]> {
  return selectOwners(database, organizationId, now)
    .select(['users.id', 'users.email'])
    .orderBy('members.createdAt')
    .orderBy('members.id')
    .limit(limit)
    .execute()
}

export async function listIdsWithOtherOwner(
  database: Kysely<Tables>,
  organizationIds: string[],
  userId: string,
  now: number,
): Promise<string[]> {
  const rows = await database
    .selectFrom('organizations')
    .select('organizations.id')
    .where('organizations.id', 'in', organizationIds)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('users')
          .innerJoin('members', 'members.userId', 'users.id')
          .select('members.id')
          .whereRef('members.organizationId', '=', 'organizations.id')
          .where('members.role', '=', 'owner')
          .where('members.userId', '<>', userId)
          .where(isNotBanned(now)),
      ),
    )
    .execute()
  return rows.map(({ id }) => id)
}

function selectOwners(database: Kysely<Tables>, organizationId: string, now: number) {
  return database
    .selectFrom('users')
    .innerJoin('members', 'members.userId', 'users.id')
    .where('members.organizationId', '=', organizationId)
    .where('members.role', '=', 'owner')
    .where(isNotBanned(now))
}
