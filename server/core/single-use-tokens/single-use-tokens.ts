import type { Kysely } from 'kysely'
import { hashToken, newId, newToken, type Randomness } from '../../platform/crypto/tokens.ts'
import { deleteSome } from '../../platform/database/delete-some.ts'
import type { Tables, TokenPurpose, UserRow } from '../../platform/database/tables.ts'
import { lockUserForUpdate } from '../users/lock-user.ts'
import { isUsable } from './is-usable.ts'
import { SINGLE_USE_TOKEN_MILLISECONDS, type TokenData } from './token-purposes.ts'

export interface TokenContent<Purpose extends TokenPurpose> {
  userId: string | null
  /** The session that asked for the token, locked by the transaction. The token is revoked with the session. */
  sessionId?: string
  data: TokenData[Purpose]
}

export interface UsableToken<Purpose extends TokenPurpose> {
  userId: string | null
  sessionId: string | null
  data: TokenData[Purpose]
  /** Epoch milliseconds. */
  createdAt: number
}

export async function insertToken<Purpose extends TokenPurpose>(
  database: Kysely<Tables>,
  randomness: Randomness,
  purpose: Purpose,
  token: string,
  { userId, sessionId, data }: TokenContent<Purpose>,
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
      expiresAt: now + SINGLE_USE_TOKEN_MILLISECONDS[purpose],
    })
    .execute()
}

export async function createToken<Purpose extends TokenPurpose>(
  database: Kysely<Tables>,
  randomness: Randomness,
  purpose: Purpose,
  content: TokenContent<Purpose>,
): Promise<string> {
  const token = newToken(randomness)
  await insertToken(database, randomness, purpose, token, content)
  return token
}

/** Replaces the data of a token that the transaction has found usable for this purpose. */
export async function updateTokenData<Purpose extends TokenPurpose>(
  transaction: Kysely<Tables>,
  purpose: Purpose,
  token: string,
  data: TokenData[Purpose],
): Promise<void> {
  await transaction
    .updateTable('singleUseTokens')
    .set({ data: JSON.stringify(data) })
    .where('tokenHash', '=', hashToken(token))
    .where('purpose', '=', purpose)
    .execute()
}

/** Setup links have no user: null. */
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

/** Includes expired links. */
export async function listUndoLinks(
  database: Kysely<Tables>,
  userId: string,
): Promise<(UsableToken<'undo email change'> & { id: string })[]> {
  const rows = await database
    .selectFrom('singleUseTokens')
    .select(['id', ...COLUMNS])
    .where('userId', '=', userId)
    .where('purpose', '=', 'undo email change')
    .execute()
  return rows.map((row) => ({ id: row.id, ...toUsableToken<'undo email change'>(row) }))
}

export async function revokeTokensOfIds(database: Kysely<Tables>, ids: string[]): Promise<void> {
  if (ids.length > 0) await database.deleteFrom('singleUseTokens').where('id', 'in', ids).execute()
}

export async function findUsableToken<Purpose extends TokenPurpose>(
  database: Kysely<Tables>,
  now: number,
  purpose: Purpose,
  token: string,
): Promise<UsableToken<Purpose> | undefined> {
  const row = await database
    .selectFrom('singleUseTokens')
    .select(COLUMNS)
    .where((where) => isUsable(where, now, purpose, token))
    .executeTakeFirst()
  return row && toUsableToken<Purpose>(row)
}

/** Also for expired tokens. The user is locked before the token is consumed, because one order prevents deadlocks. */
export async function lockTokenUserForUpdate(transaction: Kysely<Tables>, token: string): Promise<UserRow | undefined> {
  const row = await transaction
    .selectFrom('singleUseTokens')
    .select('userId')
    .where('tokenHash', '=', hashToken(token))
    .executeTakeFirst()
  return row?.userId == null ? undefined : lockUserForUpdate(transaction, row.userId)
}

/** Also for expired tokens. */
export async function findTokenPurpose(database: Kysely<Tables>, token: string): Promise<TokenPurpose | undefined> {
  const row = await database
    .selectFrom('singleUseTokens')
    .select('purpose')
    .where('tokenHash', '=', hashToken(token))
    .executeTakeFirst()
  return row?.purpose
}

export async function revokeAllTokensOfUser(database: Kysely<Tables>, userId: string): Promise<void> {
  await database.deleteFrom('singleUseTokens').where('userId', '=', userId).execute()
}

export function deleteExpiredTokens(database: Kysely<Tables>, now: number, limit: number): Promise<number> {
  const tokens = database.selectFrom('singleUseTokens').select('id').where('expiresAt', '<=', now)
  return deleteSome(database, 'singleUseTokens', 'id', tokens, limit)
}

/** One statement decides, so exactly one of many concurrent uses gets the token. */
export async function consumeToken<Purpose extends TokenPurpose>(
  database: Kysely<Tables>,
  now: number,
  purpose: Purpose,
  token: string,
): Promise<UsableToken<Purpose> | undefined> {
  const row = await database
    .deleteFrom('singleUseTokens')
    .where((where) => isUsable(where, now, purpose, token))
    .returning(COLUMNS)
    .executeTakeFirst()
  return row && toUsableToken<Purpose>(row)
}

const COLUMNS = ['userId', 'sessionId', 'data', 'createdAt'] as const

function toUsableToken<Purpose extends TokenPurpose>(
  row: Omit<UsableToken<Purpose>, 'data'> & { data: string },
): UsableToken<Purpose> {
  return { ...row, data: JSON.parse(row.data) as TokenData[Purpose] }
}

export async function revokeAllTokens(transaction: Kysely<Tables>): Promise<number> {
  const { numDeletedRows } = await transaction.deleteFrom('singleUseTokens').executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
