import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { LIFETIME_MILLISECONDS, type TokenPurpose } from './token-purposes.ts'
import { hashToken, newId, newToken, type Randomness } from './tokens.ts'

export interface SingleUseToken {
  userId: string | null
  /** What the purpose needs to know, e.g. the address that the link proves. */
  data: Record<string, unknown>
}

export interface UsedToken extends SingleUseToken {
  /** Epoch milliseconds. */
  createdAt: number
}

/** Makes a token for one purpose and stores its hash. Returns the token, which nothing else can show again. */
export async function issueToken(
  database: Kysely<Tables>,
  randomness: Randomness,
  purpose: TokenPurpose,
  { userId, data }: SingleUseToken,
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

/** Whether a token would be taken, without using it up. */
export async function isOpenToken(
  database: Kysely<Tables>,
  now: number,
  purpose: TokenPurpose,
  token: string,
): Promise<boolean> {
  const row = await database
    .selectFrom('singleUseTokens')
    .select('id')
    .where('tokenHash', '=', hashToken(token))
    .where('purpose', '=', purpose)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return row !== undefined
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
 * Uses a token up. One statement decides, so that of many uses at once exactly one gets it; another purpose, a used, an
 * expired and an unknown token are alike: undefined.
 */
export async function consumeOnce(
  database: Kysely<Tables>,
  now: number,
  purpose: TokenPurpose,
  token: string,
): Promise<UsedToken | undefined> {
  const row = await database
    .deleteFrom('singleUseTokens')
    .where('tokenHash', '=', hashToken(token))
    .where('purpose', '=', purpose)
    .where('expiresAt', '>', now)
    .returning(['userId', 'data', 'createdAt'])
    .executeTakeFirst()
  return row && { userId: row.userId, createdAt: row.createdAt, data: JSON.parse(row.data) as Record<string, unknown> }
}
