import type { AuthenticatedSession } from '../../../core/access/caller.ts'
import type { Context } from '../../../core/context.ts'
import { lockCallerForShare } from '../../../core/sessions/lock-caller.ts'
import { consumeToken, createToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { SINGLE_USE_TOKEN_MILLISECONDS, type TokenData } from '../../../core/single-use-tokens/token-purposes.ts'
import { hashToken } from '../../../platform/crypto/tokens.ts'
import type { SessionRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

export type Ceremony = 'register passkey' | 'sign up with passkey' | 'sign in with passkey'

export const CHALLENGE_MILLISECONDS = SINGLE_USE_TOKEN_MILLISECONDS['register passkey']

/** A ceremony must finish where it started: in a session, a browser (by its cookie) or a client without cookies. */
export type ChallengeBinding = string

export function bindingOfSession({ id }: SessionRow): ChallengeBinding {
  return `session ${id}`
}

export function bindingOfBrowser(browserToken: string): ChallengeBinding {
  return `browser ${hashToken(browserToken)}`
}

export function bindingOfClient(binding: string): ChallengeBinding {
  return `binding ${hashToken(binding)}`
}

interface NewChallenge<Kind extends Ceremony> {
  caller: AuthenticatedSession | null
  data: TokenData[Kind]
}

interface Challenge<Kind extends Ceremony> {
  /** The caller who started the ceremony; null without a session. */
  userId: string | null
  data: TokenData[Kind]
}

/** @throws ApiError UNAUTHORIZED when the user was deleted or the session revoked */
export async function createChallenge<Kind extends Ceremony>(
  context: Context,
  ceremony: Kind,
  { caller, data }: NewChallenge<Kind>,
): Promise<string> {
  if (!caller) return createToken(context.database, context, ceremony, { userId: null, data })
  const [userId, sessionId] = [caller.user.id, caller.session.id]
  return context.database.transaction().execute(async (transaction) => {
    await lockCallerForShare(transaction, caller)
    return createToken(transaction, context, ceremony, { userId, sessionId, data })
  })
}

/** A failed ceremony consumes the challenge too. @throws ApiError CHALLENGE_NOT_FOUND; CHALLENGE_FROM_ELSEWHERE */
export async function consumeChallenge<Kind extends Ceremony>(
  { database, now }: Context,
  ceremony: Kind,
  challenge: string,
  bindings: ChallengeBinding[],
): Promise<Challenge<Kind>> {
  const found = await consumeToken(database, now(), ceremony, challenge)
  if (!found) throw new ApiError('CHALLENGE_NOT_FOUND')
  const { userId, data } = found
  if (!bindings.some((binding) => data.bindings.includes(binding))) throw new ApiError('CHALLENGE_FROM_ELSEWHERE')
  return { userId, data }
}
