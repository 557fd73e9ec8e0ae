import type { JWTPayload } from 'jose'
import { lacksSecondStepForToken } from '../../../core/access/two-step-policy.ts'
import { findMembership } from '../../../core/memberships/find-membership.ts'
import { splitScopes } from '../../../core/oauth-clients/scopes.ts'
import { findAuthenticatedSession } from '../../../core/sessions/find-caller.ts'
import { hashToken } from '../../../platform/crypto/tokens.ts'
import { AUDIENCE } from '../../tokens/mint-token.ts'
import { findSubjectWithoutGrant } from '../adapters/token-without-grant.ts'
import type { OpenIdContext } from '../common/openid-context.ts'
import { CLAIMS_OF_SCOPES } from '../common/scopes.ts'
import type { TokenActor } from '../common/session-of-token.ts'
import type { CurrentSubject } from '../common/subjects.ts'
import { verifyJwt } from '../common/verify-jwt.ts'
import { grantIdsOf } from '../grants/access-token-id.ts'
import { findSubjectOfGrants, scopesOfNow } from '../grants/grant-subject.ts'

export interface ExchangeSubject extends CurrentSubject {
  /** The new token ends when one of these grants ends. */
  grantIds: string[]
  /** The hash of the subject, if the subject is a session token. */
  tokenHash: string | null
  scopes: string[]
  /** Epoch milliseconds. */
  expiresAt: number
  act: TokenActor | undefined
}

export function countActors(act: TokenActor | undefined): number {
  let count = 0
  for (let actor = act; actor !== undefined; actor = actor.act) count += 1
  return count
}

interface SubjectToken {
  token: string
  organizationSlug: string | undefined
}

/** All scopes but `offline_access`, because an exchange gives no refresh token. */
const SCOPES_OF_SESSION = Object.keys(CLAIMS_OF_SCOPES)

/** @returns undefined for an ID token, a token of a machine, and a session or token that has ended */
export function findExchangeSubject(
  context: OpenIdContext,
  subject: SubjectToken,
): Promise<ExchangeSubject | undefined> {
  return subject.token.includes('.') ? findSubjectOfJwt(context, subject) : findSubjectOfSession(context, subject)
}

async function findSubjectOfSession(
  context: OpenIdContext,
  { token, organizationSlug }: SubjectToken,
): Promise<ExchangeSubject | undefined> {
  const tokenHash = hashToken(token)
  const authenticated = await findAuthenticatedSession(context, tokenHash)
  if (!authenticated?.user.emailVerified || organizationSlug === undefined) return undefined
  const membership = await findMembership(context.database, authenticated.user.id, { slug: organizationSlug })
  if (!membership || lacksSecondStepForToken(context.config, authenticated, membership.organization)) return undefined
  const { impersonatedBy, expiresAt } = authenticated.session
  const act = impersonatedBy === null ? undefined : { sub: impersonatedBy }
  return { ...authenticated, membership, scopes: SCOPES_OF_SESSION, expiresAt, act, grantIds: [], tokenHash }
}

async function findSubjectOfJwt(
  context: OpenIdContext,
  { token, organizationSlug }: SubjectToken,
): Promise<ExchangeSubject | undefined> {
  const claims = await verifySubject(context, token)
  if (!claims || (organizationSlug !== undefined && claims.org_slug !== organizationSlug)) return undefined
  // The exchange can't verify the key of a bound token, and would remove the binding (RFC 9449).
  if (claims.cnf !== undefined) return undefined
  const { act, exp = 0, jti = '', scope } = claims as JWTPayload & { act?: TokenActor; scope?: string }
  const grantIds = grantIdsOf(jti)
  const common = { act, expiresAt: exp * 1000, grantIds, tokenHash: null }
  if (grantIds.length > 0) {
    const subject = await findSubjectOfGrants(context, grantIds)
    return subject && { ...common, ...subject, scopes: scopesOfNow(scope, subject.grant) }
  }
  const subject = await findSubjectWithoutGrant(context, claims)
  // A token of `/api/token` has no scope. A token that the previous version made in an exchange has scopes.
  const scopes = scope === undefined ? SCOPES_OF_SESSION : splitScopes(scope)
  return subject && { ...common, ...subject, scopes }
}

/** Accepts tokens of `/api/token` and access tokens. An ID token is refused by its audience, which is a client. */
async function verifySubject(context: OpenIdContext, token: string): Promise<JWTPayload | undefined> {
  const verified = await verifyJwt(context, token, { audience: AUDIENCE, requiredClaims: ['sub', 'exp'] })
  return verified && ['JWT', 'at+jwt'].includes(verified.protectedHeader.typ ?? '') ? verified.payload : undefined
}
