import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { Membership } from '../http/access.ts'

/** Both, when both are given, must fit. */
export interface OrganizationReference {
  id?: string
  slug?: string
}

/** The organization and the user's place in it, in one look-up; undefined unless the user is a member. */
export async function findMembership(
  database: Kysely<Tables>,
  userId: string,
  { id, slug }: OrganizationReference,
): Promise<Membership | undefined> {
  const row = await database
    .selectFrom('organizations')
    .innerJoin('members', 'members.organizationId', 'organizations.id')
    .selectAll('organizations')
    .select(['members.id as memberId', 'members.role', 'members.createdAt as memberCreatedAt'])
    .where('members.userId', '=', userId)
    .$if(id !== undefined, (query) => query.where('organizations.id', '=', id ?? ''))
    .$if(slug !== undefined, (query) => query.where('organizations.slug', '=', slug ?? ''))
    .executeTakeFirst()
  if (!row) return undefined
  const { memberId, role, memberCreatedAt, ...organization } = row
  return {
    organization,
    member: { id: memberId, userId, organizationId: organization.id, role, createdAt: memberCreatedAt },
  }
}
