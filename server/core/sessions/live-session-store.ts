import type { Kysely } from 'kysely'
import { compileOnce } from '../../platform/database/compile-once.ts'
import type { SessionRow, Tables, UserRow } from '../../platform/database/tables.ts'

/** Each by its name: PostgreSQL does not keep the plan of a statement with `*`. */
const SESSION_COLUMNS = [
  'sessions.id',
  'sessions.userId',
  'sessions.tokenHash',
  'sessions.createdAt',
  'sessions.updatedAt',
  'sessions.expiresAt',
  'sessions.lastUsedAt',
  'sessions.authenticatedAt',
  'sessions.authenticationMethods',
  'sessions.rememberMe',
  'sessions.ipAddress',
  'sessions.userAgent',
  'sessions.activeOrganizationId',
  'sessions.impersonatedBy',
  'sessions.properties',
] as const

const selectLiveSession = compileOnce((database, { tokenHash, now }: { tokenHash: string; now: number }) =>
  database
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.userId')
    .select(SESSION_COLUMNS)
    .select(['name', 'email', 'emailVerified', 'image', 'role', 'banned', 'banReason', 'banExpires'])
    .select(['users.createdAt as userCreatedAt', 'users.updatedAt as userUpdatedAt'])
    .select(['users.properties as userProperties', 'twoFactorEnabled'])
    .where('sessions.tokenHash', '=', tokenHash)
    .where('sessions.expiresAt', '>', now),
)

/** One look-up by the unique index. @returns undefined when the session has expired */
export async function findLiveSession(
  database: Kysely<Tables>,
  tokenHash: string,
  now: number,
): Promise<{ session: SessionRow; user: UserRow } | undefined> {
  const [row] = await selectLiveSession(database, { tokenHash, now })
  if (!row) return undefined
  return { session: toSessionRow(row), user: toUserRow(row) }
}

type FoundSession = Awaited<ReturnType<typeof selectLiveSession>>[number]

/** Names each column, because an object of the remaining columns costs 3 µs more. */
function toSessionRow(row: FoundSession): SessionRow {
  return {
    id: row.id,
    userId: row.userId,
    tokenHash: row.tokenHash,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    expiresAt: row.expiresAt,
    lastUsedAt: row.lastUsedAt,
    authenticatedAt: row.authenticatedAt,
    authenticationMethods: row.authenticationMethods,
    rememberMe: row.rememberMe,
    ipAddress: row.ipAddress,
    userAgent: row.userAgent,
    activeOrganizationId: row.activeOrganizationId,
    impersonatedBy: row.impersonatedBy,
    properties: row.properties,
  }
}

function toUserRow(row: FoundSession): UserRow {
  return {
    id: row.userId,
    name: row.name,
    email: row.email,
    emailVerified: row.emailVerified,
    image: row.image,
    role: row.role,
    banned: row.banned,
    banReason: row.banReason,
    banExpires: row.banExpires,
    createdAt: row.userCreatedAt,
    updatedAt: row.userUpdatedAt,
    properties: row.userProperties,
    twoFactorEnabled: row.twoFactorEnabled,
  }
}
