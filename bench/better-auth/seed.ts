import { createHmac, randomBytes } from 'node:crypto'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { hashPassword } from 'better-auth/crypto'
import { getMigrations } from 'better-auth/db/migration'
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
import type { Workplace } from '../workplace.ts'
import { authOptions } from './create-auth.ts'
import { BETTER_AUTH_SECRET, betterAuthDatabase } from './start.ts'

const LIFETIME_MILLISECONDS = 7 * 86_400_000

/** Creates a database by Better Auth's migrations and inserts rows in Better Auth's format. */
export async function seedBetterAuth(workplace: Workplace): Promise<SeededSession[]> {
  const database = new DatabaseSync(betterAuthDatabase(workplace))
  try {
    // WAL mode is stored in the file and makes commits as fast as those of Accounts.
    database.exec('PRAGMA journal_mode = WAL')
    const settings = { database, secret: BETTER_AUTH_SECRET, baseURL: 'http://localhost', signsOnGetSession: false }
    await (await getMigrations(authOptions(settings))).runMigrations()
    const passwordHash = await hashPassword(PASSWORD)
    database.exec('BEGIN')
    const userIds = insertUsers(database, passwordHash)
    insertOrganizations(database, userIds)
    const sessions = insertSessions(database, userIds)
    database.exec('COMMIT')
    return sessions
  } finally {
    database.close()
  }
}

function insertUsers(database: DatabaseSync, passwordHash: string): string[] {
  const now = new Date().toISOString()
  const times = { createdAt: now, updatedAt: now }
  return numbers(USER_COUNT).map((number) => {
    const id = newId()
    const testUser = {
      id,
      name: `User ${number}`,
      email: emailOf(number),
      emailVerified: 1,
      role: 'user',
      banned: 0,
    }
    insert(database, 'user', { ...testUser, ...times })
    const account = { id: newId(), accountId: id, providerId: 'credential', userId: id, password: passwordHash }
    insert(database, 'account', { ...account, ...times })
    return id
  })
}

function insertOrganizations(database: DatabaseSync, userIds: string[]): void {
  const createdAt = new Date().toISOString()
  const ids = numbers(ORGANIZATION_COUNT).map((number) => {
    const id = newId()
    insert(database, 'organization', { id, name: `Organization ${number}`, slug: slugOf(number), createdAt })
    return id
  })
  for (const [number, userId] of userIds.entries()) {
    const organizationId = ids[organizationOf(number)]!
    insert(database, 'member', { id: newId(), organizationId, userId, role: 'member', createdAt })
  }
}

function insertSessions(database: DatabaseSync, userIds: string[]): SeededSession[] {
  const now = new Date().toISOString()
  const expiresAt = new Date(Date.now() + LIFETIME_MILLISECONDS).toISOString()
  return numbers(SESSION_COUNT).map((number) => {
    const user = ownerOf(number)
    const userId = userIds[user]!
    const token = newId()
    const client = { ipAddress: '10.0.0.1', userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101' }
    insert(database, 'session', { id: newId(), token, userId, expiresAt, createdAt: now, updatedAt: now, ...client })
    const organizationSlug = slugOf(organizationOf(user))
    return { token: signed(token), userId, email: emailOf(user), organizationSlug }
  })
}

function insert(database: DatabaseSync, table: string, row: Record<string, SQLInputValue>): void {
  const columns = Object.keys(row)
  const sql = `INSERT INTO "${table}" (${columns.map((column) => `"${column}"`).join()}) VALUES (${columns.map(() => '?').join()})`
  prepared(database, sql).run(...Object.values(row))
}

type Statement = ReturnType<DatabaseSync['prepare']>
const statements = new WeakMap<DatabaseSync, Map<string, Statement>>()

function prepared(database: DatabaseSync, sql: string): Statement {
  const known = statements.getOrInsertComputed(database, () => new Map<string, Statement>())
  return known.getOrInsertComputed(sql, () => database.prepare(sql))
}

/** 32 letters and digits, like ids of Better Auth. */
function newId(): string {
  return randomBytes(16).toString('hex')
}

/** The format of Better Auth's set-auth-token header. */
function signed(token: string): string {
  return `${token}.${createHmac('sha256', BETTER_AUTH_SECRET).update(token).digest('base64')}`
}
