import type { JWTPayload } from 'jose'
import { findOAuthClient } from '../../../core/oauth-clients/store.ts'
import { findSignIn, type SignIn } from '../../../core/sessions/find-caller.ts'
import { listTokenHashesOfSecond } from '../../../core/sessions/store.ts'
import { canBeOfSession } from '../../tokens/session-token-id.ts'
import type { OpenIdContext } from './openid-context.ts'

/** Of a token of `/api/token`, or of one for which the previous version exchanged it. */
export interface SessionTokenClaims extends JWTPayload {
  client_id?: string
  org_id?: string
  auth_time?: number
  act?: Act
}

/** The actor of now is outside, and earlier ones are inside. */
interface Act {
  sub: string
  act?: Act
}

/** The session that the token names, of those that began in its second. */
export async function findSignInOfToken(
  context: OpenIdContext,
  { sub = '', auth_time, act, jti = '' }: SessionTokenClaims,
): Promise<SignIn | undefined> {
  if (auth_time === undefined) return undefined
  const impersonator = await findImpersonatorIn(context, act)
  for (const tokenHash of await listTokenHashesOfSecond(context.database, sub, auth_time)) {
    const signIn = await findSignIn(context, tokenHash)
    const isOfActor = signIn?.session.impersonatedBy === impersonator
    if (signIn && isOfActor && canBeOfSession(jti, signIn.session.id)) return signIn
  }
  return undefined
}

/** @returns the first actor; null for a token of the user's own session, whose actors are all clients */
async function findImpersonatorIn({ database }: OpenIdContext, act: SessionTokenClaims['act']): Promise<string | null> {
  const first = findFirstActor(act)
  return first === undefined || (await findOAuthClient(database, first)) ? null : first
}

function findFirstActor(act: SessionTokenClaims['act']): string | undefined {
  return act?.act === undefined ? act?.sub : findFirstActor(act.act)
}
