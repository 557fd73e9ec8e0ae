import type { JWTPayload } from 'jose'
import type { AuthenticatedSession } from '../../../core/access/caller.ts'
import { findOAuthClient } from '../../../core/oauth-clients/store.ts'
import { weakerMethods } from '../../../core/sessions/authentication-methods.ts'
import { findAuthenticatedSessionById } from '../../../core/sessions/find-caller.ts'
import { listSessionIdsOfSecond } from '../../../core/sessions/store.ts'
import type { AuthenticationMethods } from '../../../platform/database/tables.ts'
import { canBeOfSession } from '../../tokens/session-token-id.ts'
import type { OpenIdContext } from './openid-context.ts'

/** Claims of a token of `/api/token`, or of a token without a grant that the previous version made in an exchange. */
export interface SessionTokenClaims extends JWTPayload {
  client_id?: string
  org_id?: string
  auth_time?: number
  act?: TokenActor
  amr?: string[]
}

/** The `act` of RFC 8693, section 4.1: the current actor, with the earlier ones nested in it. */
export interface TokenActor {
  sub: string
  act?: TokenActor
}

/** Finds the session that began in the second of `auth_time`, with no stronger methods than those of the token. */
export async function findSessionOfJwt(
  context: OpenIdContext,
  { sub = '', auth_time, act, jti = '', amr }: SessionTokenClaims,
): Promise<AuthenticatedSession | undefined> {
  if (auth_time === undefined) return undefined
  const impersonator = await findImpersonatorIn(context, act)
  for (const id of await listSessionIdsOfSecond(context.database, sub, auth_time)) {
    const authenticated = await findAuthenticatedSessionById(context, id)
    const isOfActor = authenticated?.session.impersonatedBy === impersonator
    if (authenticated && isOfActor && canBeOfSession(jti, id)) return withMethodsOf(authenticated, amr)
  }
  return undefined
}

function withMethodsOf({ user, session }: AuthenticatedSession, amr: string[] | undefined): AuthenticatedSession {
  const former = amr === undefined ? null : (amr.join(' ') as AuthenticationMethods)
  const authenticationMethods = weakerMethods(former, session.authenticationMethods)
  return { user, session: { ...session, authenticationMethods } }
}

/** @returns the first actor, if it is an impersonator; null for the user's own session, whose actors are all clients */
async function findImpersonatorIn({ database }: OpenIdContext, act: SessionTokenClaims['act']): Promise<string | null> {
  const first = findFirstActor(act)
  return first === undefined || (await findOAuthClient(database, first)) ? null : first
}

function findFirstActor(act: SessionTokenClaims['act']): string | undefined {
  return act?.act === undefined ? act?.sub : findFirstActor(act.act)
}
