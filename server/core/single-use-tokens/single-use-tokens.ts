import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely'
import { hashToken, newId, newToken, type Randomness } from '../../platform/crypto/tokens.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { LIFETIME_MILLISECONDS, type TokenPurpose } from './token-purposes.ts'

export interface SingleUseToken {
  userId: string | null
  /** The session that asked: the token is revoked with it. The transaction has locked the session. */
  sessionId?: string
  /** What the purpose needs to know, e.g. the address that the link proves. */
  data: Record<string, unknown>
}

export interface OpenToken {
  userId: string | null
  sessionId: string | null
  data: Record<string, unknown>
  /** Epoch milliseconds. */
  createdAt: number
}

/** Makes a token for one purpose and stores its hash. Returns the token, which nothing else can show again. */
export async function issueToken(
  database: Kysely<Tables>,
  randomness: Randomness,
  purpose: TokenPurpose,
  { userId, sessionId, data }: SingleUseToken,
): Promise<string> {
  const token = newToken(randomness)
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
  return token
}

/** Makes the open tokens of some purposes worthless: a user's, or (null) those that belong to nobody. */
export async function revokeTokens(
  database: Kysely<Tables>,
  userId: string | null,
  purposes: TokenPurpose[],
): Promise<void> {
  await database
    .deleteFrom('singleUseTokens')
    .where('userId', 'is not distinct from', userId)
    .where('purpose', 'in', purposes)
    .execute()
}

/** Makes a user's open tokens of one purpose worthless that were issued at or after a moment (epoch milliseconds). */
export async function revokeLaterTokens(
  database: Kysely<Tables>,
  userId: string,
  purpose: TokenPurpose,
  createdAt: number,
): Promise<void> {
  await database
    .deleteFrom('singleUseTokens')
    .where('userId', '=', userId)
    .where('purpose', '=', purpose)
    .where('createdAt', '>=', createdAt)
    .execute()
}

/** The token, where `consumeOnce` would take it now. Nothing is used up. */
export async function findOpenToken(
  database: Kysely<Tables>,
  now: number,
  purpose: TokenPurpose,
  token: string,
): Promise<OpenToken | undefined> {
  const row = await database
    .selectFrom('singleUseTokens')
    .select(COLUMNS)
    .where((where) => isOpen(where, now, purpose, token))
    .executeTakeFirst()
  return row && toOpenToken(row)
}

/** Whose a token is, used up or not; undefined when there is none, or it is nobody's. */
export async function findTokenOwner(database: Kysely<Tables>, token: string): Promise<string | undefined> {
  const row = await database
    .selectFrom('singleUseTokens')
    .select('userId')
    .where('tokenHash', '=', hashToken(token))
    .executeTakeFirst()
  return row?.userId ?? undefined
}

/** Makes every open link of a user worthless. */
export async function revokeTokensOfUser(database: Kysely<Tables>, userId: string): Promise<void> {
  await database.deleteFrom('singleUseTokens').where('userId', '=', userId).execute()
}

/**
 * Forgets some of the tokens whose time is over; several processes may do so at once, each with tokens of its own.
 * @returns how many
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

/**
 * Uses a token up. One statement decides, so that of many uses at once exactly one gets it; whatever `isOpen` refuses is
 * alike: undefined.
 */
export async function consumeOnce(
  database: Kysely<Tables>,
  now: number,
  purpose: TokenPurpose,
  token: string,
): Promise<OpenToken | undefined> {
  const row = await database
    .deleteFrom('singleUseTokens')
    .where((where) => isOpen(where, now, purpose, token))
    .returning(COLUMNS)
    .executeTakeFirst()
  return row && toOpenToken(row)
}

const COLUMNS = ['userId', 'sessionId', 'data', 'createdAt'] as const

function toOpenToken(row: Omit<OpenToken, 'data'> & { data: string }): OpenToken {
  return { ...row, data: JSON.parse(row.data) as Record<string, unknown> }
}

/**
 * The one rule for every kind of token. Another purpose, a used, an expired and an unknown token are closed. So is every
 * token of a banned user: no link may undo a ban or evade it. A token that a session asked for is closed when that session
 * has expired; when the session is revoked, the foreign key deletes the token.
 */
function isOpen(
  where: ExpressionBuilder<Tables, 'singleUseTokens'>,
  now: number,
  purpose: TokenPurpose,
  token: string,
): Expression<SqlBool> {
  const ban = where
    .selectFrom('users')
    .select('users.id')
    .whereRef('users.id', '=', 'singleUseTokens.userId')
    .where('banned', '=', 1)
    .where((user) => user.or([user('banExpires', 'is', null), user('banExpires', '>', now)]))
  const liveSession = where
    .selectFrom('sessions')
    .select('sessions.id')
    .whereRef('sessions.id', '=', 'singleUseTokens.sessionId')
    .where('sessions.expiresAt', '>', now)
  return where.and([
    where('tokenHash', '=', hashToken(token)),
    where('purpose', '=', purpose),
    where('expiresAt', '>', now),
    where.not(where.exists(ban)),
    where.or([where('sessionId', 'is', null), where.exists(liveSession)]),
  ])
}
