import type { Caller } from '../../../core/access/caller.ts'
import type { Context } from '../../../core/context.ts'
import { lockSessionForShare } from '../../../core/sessions/lock-sessions.ts'
import { consumeToken, createToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { LIFETIME_MILLISECONDS } from '../../../core/single-use-tokens/token-purposes.ts'
import { lockUserForShare } from '../../../core/users/lock-user.ts'
import { hashToken } from '../../../platform/crypto/tokens.ts'
import type { SessionRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

export type Ceremony = 'register passkey' | 'sign up with passkey' | 'sign in with passkey'

export const CHALLENGE_MILLISECONDS = LIFETIME_MILLISECONDS['register passkey']

/** Where a ceremony starts and must finish: a session; without one, a browser (by its cookie) or a client (by its binding). */
export type Place = string

export function placeOfSession({ id }: SessionRow): Place {
  return `session ${id}`
}

/** @param browserToken the cookie's; the database gets its hash only */
export function placeOfBrowser(browserToken: string): Place {
  return `browser ${hashToken(browserToken)}`
}

/** @param binding as the options had it; the database gets its hash only */
export function placeOfBinding(binding: string): Place {
  return `binding ${hashToken(binding)}`
}

interface NewChallenge {
  /** The session that asks, with which the challenge is revoked; null where nobody is signed in. */
  caller: Pick<Caller, 'session' | 'user'> | null
  data: Record<string, unknown>
}

interface Challenge {
  /** Whose session it was started in; null where nobody was signed in. */
  userId: string | null
  data: Record<string, unknown>
}

/**
 * @param places in any of which the ceremony may be finished
 * @returns 256 random bits in base64url, good for one ceremony of this kind, within 5 minutes
 * @throws ApiError UNAUTHORIZED where the user is gone or the session is revoked
 */
export async function issueChallenge(
  context: Context,
  ceremony: Ceremony,
  places: Place[],
  { caller, data }: NewChallenge,
): Promise<string> {
  const challenge = { data: { ...data, places } }
  if (!caller) return createToken(context.database, context, ceremony, { userId: null, ...challenge })
  const [userId, sessionId] = [caller.user.id, caller.session.id]
  return context.database.transaction().execute(async (transaction) => {
    if (!(await lockUserForShare(transaction, userId))) throw new ApiError('UNAUTHORIZED')
    if (!(await lockSessionForShare(transaction, sessionId))) throw new ApiError('UNAUTHORIZED')
    return createToken(transaction, context, ceremony, { userId, sessionId, ...challenge })
  })
}

/**
 * Uses a challenge up, whatever comes of the ceremony.
 * @throws ApiError CHALLENGE_NOT_FOUND when it was used, has expired, is of another ceremony or made up;
 *   CHALLENGE_FROM_ELSEWHERE when it was given to another session or browser
 */
export async function consumeChallenge(
  { database, now }: Context,
  ceremony: Ceremony,
  challenge: string,
  places: Place[],
): Promise<Challenge> {
  const found = await consumeToken(database, now(), ceremony, challenge)
  if (!found) throw new ApiError('CHALLENGE_NOT_FOUND')
  const { places: issuedTo, ...data } = found.data
  if (!Array.isArray(issuedTo) || !places.some((place) => issuedTo.includes(place)))
    throw new ApiError('CHALLENGE_FROM_ELSEWHERE')
  return { userId: found.userId, data }
}
