import type { Kysely } from 'kysely'
import { listIdsWithOtherOwner } from '../../../core/memberships/owner-store.ts'
import { chunksOf } from '../../../platform/database/chunks.ts'
import type { OrganizationRole, Tables } from '../../../platform/database/tables.ts'

export interface EndingMembership {
  id: string
  name: string
  slug: string
  role: OrganizationRole
  hasOtherMember: boolean
  /** Whether an owner who is not banned remains; false for a user who is no owner. */
  hasOtherOwner: boolean
}

/** The order of the ids prevents deadlocks. Memberships and roles of locked organizations do not change. */
export async function lockOrganizationsOfUserForUpdate(
  transaction: Kysely<Tables>,
  userId: string,
  ids?: string[],
): Promise<void> {
  await transaction
    .selectFrom('organizations')
    .select('id')
    .where('id', 'in', (members) => members.selectFrom('members').select('organizationId').where('userId', '=', userId))
    .$if(ids !== undefined, (query) => query.where('id', 'in', ids ?? []))
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Counts nothing, because an organization may have 50,000 members. */
export async function listEndingMemberships(
  database: Kysely<Tables>,
  userId: string,
  now: number,
  ids?: string[],
): Promise<EndingMembership[]> {
  const memberships = await listMemberships(database, userId, ids)
  const shared = memberships.filter(({ role, hasOtherMember }) => role === 'owner' && hasOtherMember)
  const withOtherOwner = new Set<string>()
  for (const chunk of chunksOf(shared)) {
    const chunkIds = chunk.map(({ id }) => id)
    for (const id of await listIdsWithOtherOwner(database, chunkIds, userId, now)) withOtherOwner.add(id)
  }
  return memberships.map((membership) => ({
    ...membership,
    hasOtherMember: Boolean(membership.hasOtherMember),
    hasOtherOwner: withOtherOwner.has(membership.id),
  }))
}

function listMemberships(database: Kysely<Tables>, userId: string, ids?: string[]) {
  return database
    .selectFrom('organizations')
    .innerJoin('members', 'members.organizationId', 'organizations.id')
    .select(['organizations.id', 'organizations.name', 'organizations.slug', 'members.role'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('members as others')
          .select('others.id')
          .whereRef('others.organizationId', '=', 'organizations.id')
          .where('others.userId', '<>', userId),
      ).as('hasOtherMember'),
    )
    .where('members.userId', '=', userId)
    .$if(ids !== undefined, (query) => query.where('organizations.id', 'in', ids ?? []))
    .orderBy('organizations.id')
    .execute()
}
