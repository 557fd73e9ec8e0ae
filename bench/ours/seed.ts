import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { pino } from 'pino'
import { type Context, openContext } from '../../server/core/context.ts'
import { PASSWORD_PROVIDER } from '../../server/core/credentials/password-store.ts'
import { DEVICE_MILLISECONDS } from '../../server/core/devices/device.ts'
import { toMetadataColumns } from '../../server/core/oauth-clients/store.ts'
import { expiryOf } from '../../server/core/sessions/lifetimes.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { hashToken, newId, newToken } from '../../server/platform/crypto/tokens.ts'
import { chunksOf } from '../../server/platform/database/chunks.ts'
import { migrate } from '../../server/platform/database/migrate.ts'
import type { SessionRow, Tables } from '../../server/platform/database/tables.ts'
import {
  CLIENT_ID,
  CLIENT_SECRET,
  deviceTokenOf,
  emailOf,
  numbers,
  ORGANIZATION_COUNT,
  organizationOf,
  ownerOf,
  PASSWORD,
  SESSION_COUNT,
  type SeededSession,
  slugOf,
  USER_COUNT,
} from '../population.ts'
import { accountsEnvironment } from './start.ts'

/** Creates a database by the service's migrations and inserts rows with its ids and hashes. */
export async function seedAccounts(databaseUrl: string): Promise<SeededSession[]> {
  const runtime = { now: Date.now, randomBytes, log: pino({ level: 'silent' }) }
  const { context, close } = openContext(readConfig(accountsEnvironment(databaseUrl, 0)), runtime)
  try {
    await migrate(context.database)
    const passwordHash = await context.passwords.hash(PASSWORD)
    const sessions = await context.database.transaction().execute(async (transaction) => {
      const userIds = await insertUsers(transaction, context, passwordHash)
      await insertOrganizations(transaction, context, userIds)
      await insertClient(transaction)
      return insertSessions(transaction, context, userIds)
    })
    // As PostgreSQL's autovacuum would do within minutes of so many inserts.
    if (context.config.database.engine === 'postgres') await sql`vacuum analyze`.execute(context.database)
    return sessions
  } finally {
    await close()
  }
}

async function insertUsers(transaction: Kysely<Tables>, context: Context, passwordHash: string): Promise<string[]> {
  const times = { createdAt: context.now(), updatedAt: context.now() }
  const users = numbers(USER_COUNT).map((number) => ({
    id: newId('usr', context),
    name: `User ${number}`,
    email: emailOf(number),
    emailVerified: 1,
    image: null,
    // An administrator, so that the service starts without its first setup.
    role: number === 0 ? ('admin' as const) : ('user' as const),
    banned: 0,
    banReason: null,
    banExpires: null,
    twoFactorEnabled: 0,
    properties: '{}',
    ...times,
  }))
  const accounts = users.map(({ id }) => ({
    id: newId('lac', context),
    userId: id,
    providerId: PASSWORD_PROVIDER,
    accountId: id,
    passwordHash,
    ...times,
  }))
  const devices = users.map(({ id, email, createdAt }) => ({
    userId: id,
    device: hashToken(deviceTokenOf(email)),
    isBrowser: 1,
    createdAt,
    expiresAt: createdAt + DEVICE_MILLISECONDS,
  }))
  for (const rows of chunksOf(users)) await transaction.insertInto('users').values(rows).execute()
  for (const rows of chunksOf(accounts)) await transaction.insertInto('accounts').values(rows).execute()
  for (const rows of chunksOf(devices)) await transaction.insertInto('knownDevices').values(rows).execute()
  return users.map(({ id }) => id)
}

async function insertClient(transaction: Kysely<Tables>): Promise<void> {
  const columns = toMetadataColumns({
    client_name: 'Machine',
    redirect_uris: [],
    post_logout_redirect_uris: [],
    grant_types: ['client_credentials'],
    response_types: [],
    scope: 'openid',
    token_endpoint_auth_method: 'client_secret_basic',
    id_token_signed_response_alg: 'RS256',
    application_type: 'web',
    backchannel_logout_session_required: false,
    dpop_bound_access_tokens: false,
  })
  const times = { createdAt: Date.now(), updatedAt: Date.now() }
  const owned = { organizationId: null, createdBy: null, skipConsent: 0, disabled: 0 }
  const secretHash = hashToken(CLIENT_SECRET)
  await transaction
    .insertInto('oauthClients')
    .values({ id: CLIENT_ID, secretHash, ...columns, ...owned, ...times })
    .execute()
}

async function insertOrganizations(transaction: Kysely<Tables>, context: Context, userIds: string[]): Promise<void> {
  const createdAt = context.now()
  const organizations = numbers(ORGANIZATION_COUNT).map((number) => ({
    id: newId('org', context),
    name: `Organization ${number}`,
    slug: slugOf(number),
    logo: null,
    metadata: JSON.stringify({ 'client-code': `C-${number}` }),
    createdAt,
    requireTwoFactor: 0,
  }))
  const members = userIds.map((userId, number) => ({
    id: newId('mem', context),
    userId,
    organizationId: organizations[organizationOf(number)]!.id,
    role: 'member' as const,
    createdAt,
  }))
  await transaction.insertInto('organizations').values(organizations).execute()
  for (const rows of chunksOf(members)) await transaction.insertInto('members').values(rows).execute()
}

async function insertSessions(
  transaction: Kysely<Tables>,
  context: Context,
  userIds: string[],
): Promise<SeededSession[]> {
  const seeded: SeededSession[] = numbers(SESSION_COUNT).map((number) => {
    const user = ownerOf(number)
    const organizationSlug = slugOf(organizationOf(user))
    return { token: newToken(context), userId: userIds[user]!, email: emailOf(user), organizationSlug }
  })
  const sessions = seeded.map(({ token, userId }) => newSession(context, token, userId))
  for (const rows of chunksOf(sessions)) await transaction.insertInto('sessions').values(rows).execute()
  return seeded
}

function newSession(context: Context, token: string, userId: string): SessionRow {
  const now = context.now()
  const start = { createdAt: now, rememberMe: 1 }
  return {
    id: newId('ses', context),
    userId,
    tokenHash: hashToken(token),
    ...start,
    updatedAt: now,
    lastUsedAt: now,
    expiresAt: expiryOf(start, now),
    authenticatedAt: now,
    authenticationMethods: 'pwd',
    ipAddress: '10.0.0.1',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    activeOrganizationId: null,
    impersonatedBy: null,
    properties: '{}',
  }
}
