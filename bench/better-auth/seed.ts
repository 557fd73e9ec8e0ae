import { createHmac, randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { hashPassword } from 'better-auth/crypto'
import { getMigrations } from 'better-auth/db/migration'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { chunksOf } from '../../server/platform/database/chunks.ts'
import { SqliteDialect } from '../../server/platform/database/sqlite.ts'
import {
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
import { authOptions } from './create-auth.ts'
import { openDatabase } from './open-database.ts'
import { BETTER_AUTH_SECRET } from './start.ts'

type Rows = Record<string, string | number>[]
type InsertRows = (table: string, rows: Rows) => Promise<void>

const LIFETIME_MILLISECONDS = 7 * 86_400_000

/** Creates a database by Better Auth's migrations and inserts rows in Better Auth's format. */
export async function seedBetterAuth(databaseUrl: string): Promise<SeededSession[]> {
  await migrate(databaseUrl)
  const passwordHash = await hashPassword(PASSWORD)
  const isSqlite = databaseUrl.startsWith('sqlite:')
  const dialect = isSqlite
    ? new SqliteDialect(databaseUrl.slice('sqlite:'.length))
    : new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl }) })
  const database = new Kysely<Record<string, Rows[number]>>({ dialect })
  const sessions = await database.transaction().execute(async (transaction) => {
    const insert: InsertRows = async (table, rows) => {
      for (const some of chunksOf(rows)) await transaction.insertInto(table).values(some).execute()
    }
    const userIds = await insertUsers(insert, passwordHash)
    await insertOrganizations(insert, userIds)
    return insertSessions(insert, userIds)
  })
  if (!isSqlite) await sql`vacuum analyze`.execute(database)
  await database.destroy()
  return sessions
}

async function migrate(databaseUrl: string): Promise<void> {
  const database = openDatabase(databaseUrl)
  const settings = { database, secret: BETTER_AUTH_SECRET, baseURL: 'http://localhost', signsOnGetSession: false }
  await (await getMigrations(authOptions(settings))).runMigrations()
  if (database instanceof DatabaseSync) database.close()
  else await database.end()
}

async function insertUsers(insert: InsertRows, passwordHash: string): Promise<string[]> {
  const now = new Date().toISOString()
  const times = { createdAt: now, updatedAt: now }
  const users = numbers(USER_COUNT).map((number) => ({
    id: newId(),
    name: `User ${number}`,
    email: emailOf(number),
    emailVerified: 1,
    role: 'user',
    banned: 0,
    ...times,
  }))
  const accounts = users.map(({ id }) => ({
    id: newId(),
    accountId: id,
    providerId: 'credential',
    userId: id,
    password: passwordHash,
    ...times,
  }))
  await insert('user', users)
  await insert('account', accounts)
  return users.map(({ id }) => id)
}

async function insertOrganizations(insert: InsertRows, userIds: string[]): Promise<void> {
  const createdAt = new Date().toISOString()
  const organizations = numbers(ORGANIZATION_COUNT).map((number) => ({
    id: newId(),
    name: `Organization ${number}`,
    slug: slugOf(number),
    createdAt,
  }))
  const members = userIds.map((userId, number) => ({
    id: newId(),
    organizationId: organizations[organizationOf(number)]!.id,
    userId,
    role: 'member',
    createdAt,
  }))
  await insert('organization', organizations)
  await insert('member', members)
}

async function insertSessions(insert: InsertRows, userIds: string[]): Promise<SeededSession[]> {
  const now = new Date().toISOString()
  const expiresAt = new Date(Date.now() + LIFETIME_MILLISECONDS).toISOString()
  const client = { ipAddress: '10.0.0.1', userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101' }
  const sessions = numbers(SESSION_COUNT).map((number) => {
    const userId = userIds[ownerOf(number)]!
    return { id: newId(), token: newId(), userId, expiresAt, createdAt: now, updatedAt: now, ...client }
  })
  await insert('session', sessions)
  return sessions.map(({ token, userId }, number) => {
    const user = ownerOf(number)
    return { token: signed(token), userId, email: emailOf(user), organizationSlug: slugOf(organizationOf(user)) }
  })
}

/** 32 letters and digits, like ids of Better Auth. */
function newId(): string {
  return randomBytes(16).toString('hex')
}

/** The format of Better Auth's set-auth-token header. */
function signed(token: string): string {
  return `${token}.${createHmac('sha256', BETTER_AUTH_SECRET).update(token).digest('base64')}`
}
