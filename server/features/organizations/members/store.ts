import type { Kysely } from 'kysely'
import type { MemberWithUser } from '../../../core/memberships/store.ts'
import { countMatching } from '../../../platform/database/count-matching.ts'
import type { MemberRow, Tables, UserRow } from '../../../platform/database/tables.ts'
import { columnSql, conditionSql } from '../../../platform/filter/condition-sql.ts'
import type { Condition } from '../../../platform/filter/parse-condition.ts'
import type { Page } from '../../../platform/http/paging.ts'
import { MEMBER_FILTER_COLUMNS, type MemberFilterColumn, type MemberOrder } from './member-query.ts'

export interface MemberMatch {
  /** A part of the name or of the email address. Empty: every member matches. */
  search: string
  filter: Condition<MemberFilterColumn> | undefined
}

/** An organization may have 50,000 members, which need not be in memory. */
export async function readMemberPage(
  database: Kysely<Tables>,
  organizationId: string,
  { limit, offset }: Page,
  { sortBy, direction }: MemberOrder,
  { search, filter }: MemberMatch,
): Promise<{ members: MemberWithUser[]; total: number }> {
  const members = selectWithUser(database).where('members.organizationId', '=', organizationId)
  const contains = (column: 'name' | 'email') =>
    conditionSql(database, MEMBER_FILTER_COLUMNS[column], { operator: 'contains', values: [search] })
  const found = search === '' ? members : members.where((where) => where.or([contains('name'), contains('email')]))
  const matching = filter ? found.where(conditionSql(database, MEMBER_FILTER_COLUMNS[filter.column], filter)) : found
  const rows = await matching
    .orderBy(columnSql(database, MEMBER_FILTER_COLUMNS[sortBy]), direction)
    .orderBy('members.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()
  return { members: rows.map(withUser), total: await countMatching(matching) }
}

export async function findMemberWithUser(
  database: Kysely<Tables>,
  organizationId: string,
  id: string,
): Promise<MemberWithUser | undefined> {
  const row = await selectWithUser(database)
    .where('members.organizationId', '=', organizationId)
    .where('members.id', '=', id)
    .executeTakeFirst()
  return row && withUser(row)
}

function selectWithUser(database: Kysely<Tables>) {
  return database
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.userId')
    .selectAll('members')
    .select(['users.name', 'users.email', 'users.image'])
}

function withUser({
  name,
  email,
  image,
  ...member
}: MemberRow & Pick<UserRow, 'name' | 'email' | 'image'>): MemberWithUser {
  return { ...member, user: { id: member.userId, name, email, image } }
}
