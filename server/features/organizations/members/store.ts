import { type Kysely, sql } from 'kysely'
import type { MemberWithUser } from '../../../core/memberships/store.ts'
import type { MemberRow, Tables, UserRow } from '../../../platform/database/tables.ts'
import type { Page } from '../../../platform/http/paging.ts'
import type { MemberFilter, MemberOrder } from './member-query.ts'

/** One page: the database filters, sorts and counts, and no more rows than the page has are ever in memory. */
export async function findMembersOf(
  database: Kysely<Tables>,
  organizationId: string,
  { limit, offset }: Page,
  order: MemberOrder,
  filter: MemberFilter | undefined,
): Promise<{ members: MemberWithUser[]; total: number }> {
  const matching = selectWithUser(database)
    .where('members.organizationId', '=', organizationId)
    .$if(filter !== undefined, (query) => query.where(filter ?? sql.lit(true)))
  const rows = await matching
    .orderBy(order.column, order.direction)
    .orderBy('members.id', order.direction)
    .limit(limit)
    .offset(offset)
    .execute()
  const { total } = await matching
    .clearSelect()
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { members: rows.map(withUser), total }
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
