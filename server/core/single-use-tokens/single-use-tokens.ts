import type { Kysely } from 'kysely'
import { hashToken, newId, newToken, type Randomness } from '../../platform/crypto/tokens.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { isUsable } from './is-usable.ts'
import { LIFETIME_MILLISECONDS, type TokenPurpose } from './token-purposes.ts'

export interface TokenContent {
  userId: string | null
  /** The session that asked for the token, locked by the transaction. The token is revoked with the session. */
  sessionId?: string
  /** The input of the purpose, e.g. the email address that the link verifies. */
  data: Record<string, unknown>
}

export interface UsableToken {
  userId: string | null
  sessionId: string | null
  data: Record<string, unknown>
  /** Epoch milliseconds. */
  createdAt: number
}

/** Stores the hash of a token from `newToken`, for one purpose. */
export async function insertToken(
  database: Kysely<Tables>,
  randomness: Randomness,
  purpose: TokenPurpose,
  token: string,
  { userId, sessionId, data }: TokenContent,
): Promise<void> {
  const now = randomness.now()
  await database
    .insertInto('singleUseTokens')
    .values({
      id: newId('sut', randomness),
      tokenHash: hashToken(token),
      purpose,
      userId,
      sessionId: sessionId ?? null,
      data: JSON.stringify(data),
      createdAt: now,
      expiresAt: now + LIFETIME_MILLISECONDS[purpose],
    })
    .execute()
}

/** Creates a token and stores its hash. */
export async function createToken(
  database: Kysely<Tables>,
  randomness: Randomness,
  purpose: TokenPurpose,
  content: TokenContent,
): Promise<string> {
  const token = newToken(randomness)
  await insertToken(database, randomness, purpose, token, content)
  return token
}

/** Replaces the data of a token that the transaction has found usable. */
export async function updateTokenData(
  transaction: Kysely<Tables>,
  token: string,
  data: Record<string, unknown>,
): Promise<void> {
  await transaction
    .updateTable('singleUseTokens')
    .set({ data: JSON.stringify(data) })
    .where('tokenHash', '=', hashToken(token))
    .execute()
}

/** Revokes the tokens of a user for these purposes. Setup links have no user: null. */
export async function revokeTokens(
  database: Kysely<Tables>,
  userId: string | null,
  purposes: TokenPurpose[],
): Promise<void> {
  await database
    .deleteFrom('singleUseTokens')
    // PostgreSQL uses no index for `is not distinct from`.
    .where('userId', userId === null ? 'is' : '=', userId)
    .where('purpose', 'in', purposes)
    .execute()
}

/** Lists the tokens of a user for one purpose, also expired ones. */
export async function listTokensOfUser(
  database: Kysely<Tables>,
  userId: string,
  purpose: TokenPurpose,
): Promise<(UsableToken & { id: string })[]> {
  const rows = await database
    .selectFrom('singleUseTokens')
    .select(['id', ...COLUMNS])
    .where('userId', '=', userId)
    .where('purpose', '=', purpose)
    .execute()
  return rows.map((row) => ({ id: row.id, ...toUsableToken(row) }))
}

export async function revokeTokensOfIds(database: Kysely<Tables>, ids: string[]): Promise<void> {
  if (ids.length > 0) await database.deleteFrom('singleUseTokens').where('id', 'in', ids).execute()
}

/** Finds a token that `consumeToken` would accept, and leaves it usable. */
export async function findUsableToken(
  database: Kysely<Tables>,
  now: number,
  purpose: TokenPurpose,
  token: string,
): Promise<UsableToken | undefined> {
  const row = await database
    .selectFrom('singleUseTokens')
    .select(COLUMNS)
    .where((where) => isUsable(where, now, purpose, token))
    .executeTakeFirst()
  return row && toUsableToken(row)
}

/** Finds the user of a token of any purpose, usable or expired. */
export async function findTokenUserId(database: Kysely<Tables>, token: string): Promise<string | undefined> {
  const row = await database
    .selectFrom('singleUseTokens')
    .select('userId')
    .where('tokenHash', '=', hashToken(token))
    .executeTakeFirst()
  return row?.userId ?? undefined
}

/** Finds the purpose of a token, usable or expired. */
export async function findTokenPurpose(database: Kysely<Tables>, token: string): Promise<string | undefined> {
  const row = await database
    .selectFrom('singleUseTokens')
    .select('purpose')
    .where('tokenHash', '=', hashToken(token))
    .executeTakeFirst()
  return row?.purpose
}

export async function revokeTokensOfUser(database: Kysely<Tables>, userId: string): Promise<void> {
  await database.deleteFrom('singleUseTokens').where('userId', '=', userId).execute()
}

/**
 * Purges expired tokens. Concurrent processes skip the rows that another one has locked.
 * @returns the number of deleted tokens
 */
export async function deleteExpiredTokens(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const { numDeletedRows } = await database
    .deleteFrom('singleUseTokens')
    .where('id', 'in', (tokens) =>
      tokens
        .selectFrom('singleUseTokens')
        .select('id')
        .where('expiresAt', '<=', now)
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Uses a token up. One statement decides, so exactly one of many concurrent uses gets the token. */
export async function consumeToken(
  database: Kysely<Tables>,
  now: number,
  purpose: TokenPurpose,
  token: string,
): Promise<UsableToken | undefined> {
  const row = await database
    .deleteFrom('singleUseTokens')
    .where((where) => isUsable(where, now, purpose, token))
    .returning(COLUMNS)
    .executeTakeFirst()
  return row && toUsableToken(row)
}

const COLUMNS = ['userId', 'sessionId', 'data', 'createdAt'] as const

function toUsableToken(row: Omit<UsableToken, 'data'> & { data: string }): UsableToken {
  return { ...row, data: JSON.parse(row.data) as Record<string, unknown> }
}

export async function revokeAllTokens(transaction: Kysely<Tables>): Promise<number> {
  const { numDeletedRows } = await transaction.deleteFrom('singleUseTokens').executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
