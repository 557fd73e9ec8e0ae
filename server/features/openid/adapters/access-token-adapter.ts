import type { JWTPayload } from 'jose'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { deleteGrant, hasGrant } from '../../../core/client-sessions/grant-store.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { splitScopes } from '../../../core/oauth-clients/scopes.ts'
import { claimsOfUser, pickTokenClaims, TOKEN_CLAIMS } from '../common/claims.ts'
import { libraryTime, type OpenIdContext } from '../common/openid-context.ts'
import { getRequestState } from '../common/request-state.ts'
import type { CurrentSubject, GrantSubject } from '../common/subjects.ts'
import { takeAppTurn } from '../common/take-app-turn.ts'
import { verifyJwt } from '../common/verify-jwt.ts'
import { grantIdsOf } from '../grants/access-token-id.ts'
import { findSubjectOfGrants, scopesOfNow } from '../grants/grant-subject.ts'
import { isChangeOfTokens } from './find-in-turn.ts'
import { UNSTORED } from './plain-adapter.ts'
import { findScopesOfMachine, findSubjectWithoutGrant, revokeTokenWithoutGrant } from './token-without-grant.ts'

const PROTOCOL_CLAIMS = ['iss', 'aud', 'sub', 'exp', 'iat', 'jti', 'client_id', 'scope', 'cnf', 'sid']

/** Access tokens are JWTs and are not stored. The grant of a token says whether it is still valid. */
export function createAccessTokenAdapter(context: OpenIdContext, kind: 'AccessToken' | 'ClientCredentials'): Adapter {
  return {
    ...UNSTORED,
    async find(value) {
      const verified = await verifyJwt(context, value.replaceAll('~', '.'), {
        typ: 'at+jwt',
        requiredClaims: ['sub', 'client_id', 'jti', 'exp'],
      })
      const claims = verified?.payload
      if (!claims || (claims.sub === claims.client_id) !== (kind === 'ClientCredentials')) return undefined
      getRequestState().accessTokenEnd = (claims.exp ?? 0) * 1000
      const isRevocation = context.library.Provider.ctx?.oidc.route === 'revocation'
      return isRevocation ? toRevokedPayload(context, kind, claims) : toPayload(context, kind, claims)
    },
    async destroy(id) {
      const [grantId] = grantIdsOf(id)
      if (grantId !== undefined) await revokeGrant(context, grantId)
      else await revokeTokenWithoutGrant(context, id)
    },
  }
}

/** For the revocation endpoint (RFC 7009): the tokens of the same authorization end too. */
export async function revokeGrant(context: OpenIdContext, grantId: string): Promise<void> {
  await inTransaction(context, getRequestState().actor, async (unit) => {
    const grant = await deleteGrant(unit, grantId)
    if (!grant) return
    const { userId, clientId } = grant
    await unit.record({ action: 'oauth-grant.revoked', subjectId: userId, details: { clientId } })
  })
}

/** The parts of a JWT separated by `~`: the library refuses JWTs at introspection before it looks them up. */
export function disguiseJwt(token: string): string {
  return token.replaceAll('.', '~')
}

/** A policy may refuse the token for now. Its client can revoke it nevertheless, or it would work again later. */
async function toRevokedPayload(
  context: OpenIdContext,
  kind: string,
  claims: JWTPayload,
): Promise<AdapterPayload | undefined> {
  const payload = toBasicPayload(context, kind, claims)
  const { accountId: userId, clientId, grantId } = payload
  if (userId === undefined || !isChangeOfTokens(context, clientId)) return payload
  // An app whose access has ended would occupy the turns of the other apps of the user.
  if (grantId !== undefined && !(await hasGrant(context.database, grantId))) return undefined
  await takeAppTurn(context, userId)
  return payload
}

/** The library needs only the claims of the token for a revocation. */
function toBasicPayload(context: OpenIdContext, kind: string, claims: JWTPayload): AdapterPayload {
  const { sub, client_id, jti = '', iat = 0, exp = 0, sid } = claims as JWTPayload & TokenClaims
  const [grantId] = grantIdsOf(jti)
  return {
    kind,
    jti,
    iat,
    exp: libraryTime(context, exp * 1000),
    ...(kind === 'AccessToken' && { accountId: sub }),
    clientId: client_id,
    ...(grantId !== undefined && { grantId }),
    sid,
  }
}

/** @returns undefined when the token has ended, or is refused for now */
async function toPayload(
  context: OpenIdContext,
  kind: string,
  claims: JWTPayload,
): Promise<AdapterPayload | undefined> {
  const { scope, aud, cnf } = claims as JWTPayload & TokenClaims
  const subject = kind === 'AccessToken' ? await findSubject(context, claims) : undefined
  const scopes = kind === 'AccessToken' ? scopesOfSubject(scope, subject) : await findScopesOfMachine(context, claims)
  if (!scopes) return undefined
  // The library refuses a token with an audience at userinfo. All our tokens have one, so it is left out there.
  const isUserinfo = context.library.Provider.ctx?.oidc.route === 'userinfo'
  return {
    ...toBasicPayload(context, kind, claims),
    scope: scopes.join(' '),
    ...(!isUserinfo && { aud }),
    ...(cnf?.jkt !== undefined && { jkt: cnf.jkt }),
    extra: subject ? claimsOfNow(claims, subject, scopes) : claimsOfMachine(claims, scopes),
  }
}

type Subject = CurrentSubject & Partial<GrantSubject>

function findSubject(context: OpenIdContext, claims: JWTPayload): Promise<Subject | undefined> {
  const grantIds = grantIdsOf(claims.jti ?? '')
  // The previous version exchanged tokens of /api/token for tokens without a grant.
  return grantIds.length === 0 ? findSubjectWithoutGrant(context, claims) : findSubjectOfGrants(context, grantIds)
}

/** The role in the organization, for example, may have changed since the token was issued. */
function claimsOfNow(claims: JWTPayload, subject: CurrentSubject, scopes: string[]): Record<string, unknown> {
  const fixed = omit(claims, [...PROTOCOL_CLAIMS, ...TOKEN_CLAIMS])
  return { ...fixed, ...pickTokenClaims(claimsOfUser(subject, subject.membership), scopes) }
}

function scopesOfSubject(scope: string | undefined, subject: Subject | undefined): string[] | undefined {
  if (!subject) return undefined
  return subject.grant ? scopesOfNow(scope, subject.grant) : splitScopes(scope)
}

/** The library omits the `sub` of a machine at introspection. */
function claimsOfMachine(claims: JWTPayload, scopes: string[]): Record<string, unknown> {
  const refused = scopes.includes('organization') ? PROTOCOL_CLAIMS : [...PROTOCOL_CLAIMS, ...TOKEN_CLAIMS]
  return { sub: claims.sub, ...omit(claims, refused) }
}

function omit(claims: JWTPayload, names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name)))
}

interface TokenClaims {
  client_id: string
  scope?: string
  sid?: string
  cnf?: { jkt?: string }
}
