import type { UnknownObject } from 'oidc-provider'
import { findOrganization } from '../../../core/organizations/store.ts'
import { countToken } from '../../tokens/count-token.ts'
import { AUDIENCE, claimsOfOrganization } from '../../tokens/mint-token.ts'
import { assertKnownScope } from '../common/assert-known-scope.ts'
import { claimsOfSession, claimsOfUser, pickTokenClaims } from '../common/claims.ts'
import { ownMetadataOf } from '../common/client-metadata.ts'
import type { OpenIdContext } from '../common/openid-context.ts'
import { newAccessTokenId } from '../grants/access-token-id.ts'
import { findGrantSubject } from '../grants/grant-subject.ts'

interface Token {
  kind: string
  grantId?: string | undefined
  scopes: Set<string>
  sid?: string | undefined
  client?: object | undefined
  extra?: UnknownObject
}

/** @throws InvalidScope when a machine asks for unknown scopes only */
export async function accessTokenClaims(
  context: OpenIdContext,
  token: object,
  requestedScope: unknown,
): Promise<UnknownObject | undefined> {
  const { kind, grantId, scopes, sid, client, extra } = token as Token
  if (extra) return extra
  if (kind === 'ClientCredentials') {
    // The response would name no scope, so the machine would believe that it has the requested ones.
    if (requestedScope !== undefined) assertKnownScope(context.library, requestedScope)
    return scopes.has('organization') ? claimsOfOwner(context, client) : undefined
  }
  const subject = grantId === undefined ? undefined : await findGrantSubject(context, grantId)
  if (!subject) return undefined
  const { acr: _, ...sessionClaims } = claimsOfSession(subject.session)
  const all = claimsOfUser(subject, subject.membership)
  return { ...pickTokenClaims(all, [...scopes]), ...sessionClaims, ...(sid !== undefined && { sid }) }
}

/** A machine of an organization acts for it, without a role. */
async function claimsOfOwner({ database }: OpenIdContext, client: object | undefined): Promise<UnknownObject> {
  const { organizationId } = ownMetadataOf(client ?? {})
  const organization = organizationId === null ? undefined : await findOrganization(database, { id: organizationId })
  return organization ? claimsOfOrganization(organization) : {}
}

interface IssuedClaims {
  aud: string
  iat: number
  exp: number
  org_id?: string
  org_slug?: string
}

/** The library allows one audience. Its clock is not ours, and its `jti` does not name the grant. */
export function finishAccessToken(
  context: OpenIdContext,
  token: object,
  { payload }: { payload: UnknownObject },
): void {
  const { config, now } = context
  const { aud, iat, exp, org_id: id, org_slug: slug } = payload as unknown as IssuedClaims
  const issuedAt = Math.floor(now() / 1000)
  Object.assign(payload, {
    aud: aud === config.baseUrl ? AUDIENCE : [aud, AUDIENCE],
    jti: newAccessTokenId(context, (token as Token).grantId),
    iat: issuedAt,
    exp: issuedAt + exp - iat,
  })
  countToken(context, id !== undefined && slug !== undefined ? { id, slug } : undefined)
}
