import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { hashToken, newId, newToken, type Randomness } from './tokens.ts'

/** What a mailed (or printed) link may be used for; one token serves one purpose. */
export type TokenPurpose = 'set up' | 'reset password'

export const LIFETIME_MILLISECONDS: Record<TokenPurpose, number> = {
  'set up': 24 * 3_600_000,
  'reset password': 3_600_000,
}

export interface SingleUseToken {
  userId: string | null
  /** What the purpose needs to know, e.g. the address that the link proves. */
  data: Record<string, unknown>
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

/** Makes every open token of a purpose worthless. */
export async function revokeTokens(database: Kysely<Tables>, purpose: TokenPurpose): Promise<void> {
  await database.deleteFrom('singleUseTokens').where('purpose', '=', purpose).execute()
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
): Promise<SingleUseToken | undefined> {
  const row = await database
    .deleteFrom('singleUseTokens')
    .where('tokenHash', '=', hashToken(token))
    .where('purpose', '=', purpose)
    .where('expiresAt', '>', now)
    .returning(['userId', 'data'])
    .executeTakeFirst()
  return row && { userId: row.userId, data: JSON.parse(row.data) as Record<string, unknown> }
}
