import type { Kysely } from 'kysely'
import { compileOnce } from '../../platform/database/compile-once.ts'
import type { Tables } from '../../platform/database/tables.ts'
import type { Membership } from '../access/access.ts'

/** An organization must match both the id and the slug, when both are given. */
export interface OrganizationReference {
  id?: string
  slug?: string
}

/** Named one by one, because a statement with `*` is not prepared (postgres-statements.ts). */
const ORGANIZATION_COLUMNS = [
  'organizations.id',
  'organizations.name',
  'organizations.slug',
  'organizations.logo',
  'organizations.metadata',
  'organizations.createdAt',
  'organizations.requireTwoFactor',
] as const

const selectMembership = compileOnce((database, { userId, id, slug }: OrganizationReference & { userId: string }) =>
  database
    .selectFrom('organizations')
    .innerJoin('members', 'members.organizationId', 'organizations.id')
    .select(ORGANIZATION_COLUMNS)
    .select(['members.id as memberId', 'members.role', 'members.createdAt as memberCreatedAt', 'members.lastUsedAt'])
    .where('members.userId', '=', userId)
    .$if(id !== undefined, (query) => query.where('organizations.id', '=', id ?? ''))
    .$if(slug !== undefined, (query) => query.where('organizations.slug', '=', slug ?? '')),
)

export async function findMembership(
  database: Kysely<Tables>,
  userId: string,
  reference: OrganizationReference,
): Promise<Membership | undefined> {
  const [row] = await selectMembership(database, { userId, ...reference })
  if (!row) return undefined
  const { memberId, role, memberCreatedAt: createdAt, lastUsedAt, ...organization } = row
  return {
    organization,
    member: { id: memberId, userId, organizationId: organization.id, role, createdAt, lastUsedAt },
  }
}
