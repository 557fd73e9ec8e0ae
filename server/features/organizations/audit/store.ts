import type { Kysely } from 'kysely'
import type { MemberRow, Tables, UserRow } from '../../../platform/database/tables.ts'

/** `memberRole` is null for users who are not members. */
export type NamedUser = Pick<UserRow, 'id' | 'name' | 'role'> & { memberRole: MemberRow['role'] | null }

export async function listNamedUsers(
  database: Kysely<Tables>,
  organizationId: string,
  ids: string[],
): Promise<NamedUser[]> {
  if (ids.length === 0) return []
  return database
    .selectFrom('users')
    .leftJoin('members', (join) =>
      join.onRef('members.userId', '=', 'users.id').on('members.organizationId', '=', organizationId),
    )
    .select(['users.id', 'users.name', 'users.role', 'members.role as memberRole'])
    .where('users.id', 'in', ids)
    .execute()
}

interface Named {
  id: string
  name: string
}

export async function listNamedInvitations(
  database: Kysely<Tables>,
  organizationId: string,
  ids: string[],
): Promise<Named[]> {
  if (ids.length === 0) return []
  return database
    .selectFrom('invitations')
    .select(['id', 'email as name'])
    .where('organizationId', '=', organizationId)
    .where('id', 'in', ids)
    .execute()
}

export async function listNamedApiKeys(
  database: Kysely<Tables>,
  organizationId: string,
  ids: string[],
): Promise<Named[]> {
  if (ids.length === 0) return []
  return database
    .selectFrom('apiKeys')
    .select(['id', 'name'])
    .where('organizationId', '=', organizationId)
    .where('id', 'in', ids)
    .execute()
}
