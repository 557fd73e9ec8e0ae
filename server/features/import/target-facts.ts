import { type Kysely, sql } from 'kysely'
import { chunksOf } from '../../platform/database/chunks.ts'
import type { MemberRow, Tables, UserRow } from '../../platform/database/tables.ts'
import type { PlannedOrganization } from './plan-organization.ts'
import type { PlannedUser } from './plan-user.ts'

export interface UserFacts {
  emails: Set<string>
  byId: Map<string, Pick<UserRow, 'email' | 'createdAt'>>
  deletedIds: Set<string>
  /** Ids of planned users that are ids of API keys in the target. */
  apiKeyIds: Set<string>
  userIdByCredential: Map<string, string>
}

export interface OrganizationFacts {
  slugs: Set<string>
  slugById: Map<string, string>
  deletedIds: Set<string>
  /** Keys from `keyOfMember`. */
  members: Set<string>
  organizationIdByInvitation: Map<string, string>
  organizationIdByApiKey: Map<string, string>
  apiKeyHashes: Set<string>
  /** Ids of planned API keys that are ids of users in the target. */
  userIds: Set<string>
}

/** For a target without tables. */
export const NO_USERS: UserFacts = {
  emails: new Set(),
  byId: new Map(),
  deletedIds: new Set(),
  apiKeyIds: new Set(),
  userIdByCredential: new Map(),
}
export const NO_ORGANIZATIONS: OrganizationFacts = {
  slugs: new Set(),
  slugById: new Map(),
  deletedIds: new Set(),
  members: new Set(),
  organizationIdByInvitation: new Map(),
  organizationIdByApiKey: new Map(),
  apiKeyHashes: new Set(),
  userIds: new Set(),
}

export async function readUserFacts(database: Kysely<Tables>, planned: PlannedUser[]): Promise<UserFacts> {
  if (planned.length === 0) return NO_USERS
  const ids = planned.map(({ user }) => user.id)
  const emails = planned.map(({ user }) => user.email)
  const users = await database
    .selectFrom('users')
    .select(['id', 'email', 'createdAt'])
    .where((where) => where.or([where('id', 'in', ids), where('email', 'in', emails)]))
    .execute()
  const deletions = await database
    .selectFrom('auditEvents')
    .select('subjectId')
    .where('subjectId', 'in', ids)
    .where('action', '=', 'user.deleted')
    .execute()
  const credentialIds = planned.flatMap(({ passkeys }) => passkeys.map(({ credentialID }) => credentialID))
  return {
    emails: new Set(users.map(({ email }) => email)),
    byId: new Map(users.map(({ id, email, createdAt }) => [id, { email, createdAt }])),
    deletedIds: new Set(deletions.map(({ subjectId }) => subjectId ?? '')),
    apiKeyIds: await readExisting(database, 'apiKeys', 'id', ids),
    userIdByCredential: await mapExisting(database, 'passkeys', 'credentialID', 'userId', credentialIds),
  }
}

export async function readOrganizationFacts(
  database: Kysely<Tables>,
  planned: PlannedOrganization[],
): Promise<OrganizationFacts> {
  if (planned.length === 0) return NO_ORGANIZATIONS
  const ids = planned.map(({ organization }) => organization.id)
  const slugs = planned.map(({ organization }) => organization.slug)
  const organizations = await database
    .selectFrom('organizations')
    .select(['id', 'slug'])
    .where((where) => where.or([where('id', 'in', ids), where('slug', 'in', slugs)]))
    .execute()
  const deletions = await database
    .selectFrom('auditEvents')
    .select('organizationId')
    .where('organizationId', 'in', ids)
    .where('action', '=', 'organization.deleted')
    .execute()
  const members = await database
    .selectFrom('members')
    .select(['organizationId', 'userId'])
    .where('organizationId', 'in', ids)
    .execute()
  const apiKeys = planned.flatMap((one) => one.apiKeys)
  const invitationIds = planned.flatMap(({ invitations }) => invitations.map(({ id }) => id))
  const apiKeyIds = apiKeys.map(({ id }) => id)
  const apiKeyHashes = apiKeys.map(({ keyHash }) => keyHash)
  return {
    slugs: new Set(organizations.map(({ slug }) => slug)),
    slugById: new Map(organizations.map(({ id, slug }) => [id, slug])),
    deletedIds: new Set(deletions.map(({ organizationId }) => organizationId ?? '')),
    members: new Set(members.map(keyOfMember)),
    organizationIdByInvitation: await mapExisting(database, 'invitations', 'id', 'organizationId', invitationIds),
    organizationIdByApiKey: await mapExisting(database, 'apiKeys', 'id', 'organizationId', apiKeyIds),
    apiKeyHashes: await readExisting(database, 'apiKeys', 'keyHash', apiKeyHashes),
    userIds: await readExisting(database, 'users', 'id', apiKeyIds),
  }
}

export function keyOfMember({ organizationId, userId }: Pick<MemberRow, 'organizationId' | 'userId'>): string {
  return JSON.stringify([organizationId, userId])
}

type Table = 'users' | 'passkeys' | 'invitations' | 'apiKeys'

async function readExisting(
  database: Kysely<Tables>,
  table: Table,
  column: string,
  values: string[],
): Promise<Set<string>> {
  return new Set((await mapExisting(database, table, column, column, values)).keys())
}

async function mapExisting(
  database: Kysely<Tables>,
  table: Table,
  column: string,
  otherColumn: string,
  values: string[],
): Promise<Map<string, string>> {
  const existing = new Map<string, string>()
  for (const some of chunksOf(values)) {
    const query = sql<{ value: string; other: string }>`
      select ${sql.ref(column)} as value, ${sql.ref(otherColumn)} as other from ${sql.table(table)}
      where ${sql.ref(column)} in (${sql.join(some)})`
    for (const { value, other } of (await query.execute(database)).rows) existing.set(value, other)
  }
  return existing
}
