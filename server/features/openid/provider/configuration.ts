import type { Configuration } from 'oidc-provider'
import type { Actor } from '../../../core/audit/actor.ts'
import {
  ASSERTION_ALGORITHMS,
  CLIENT_AUTHENTICATION_METHODS,
  CONFIDENTIAL_AUTHENTICATION_METHODS,
  SIGNING_ALGORITHMS,
} from '../../../core/oauth-clients/metadata.ts'
import { SCOPES } from '../../../core/oauth-clients/scopes.ts'
import { hashToken } from '../../../platform/crypto/tokens.ts'
import type { GuardedFetch } from '../../../platform/http/guarded-fetch.ts'
import { createAdapters } from '../adapters/adapter.ts'
import { OWN_METADATA, ownMetadataOf } from '../common/client-metadata.ts'
import { ENDPOINTS } from '../common/endpoints.ts'
import type { OpenIdContext } from '../common/openid-context.ts'
import { getRequestState } from '../common/request-state.ts'
import {
  ACCESS_TOKEN_SECONDS,
  CLAIMS_OF_SCOPES,
  CODE_SECONDS,
  DEVICE_CODE_SECONDS,
  INTERACTION_SECONDS,
  ONE_STEP,
  REFRESH_TOKEN_SECONDS,
  TWO_STEP,
} from '../common/scopes.ts'
import { findGrantSubject, hasOfflineAccess } from '../grants/grant-subject.ts'
import { accessTokenClaims, finishAccessToken } from './access-token-claims.ts'
import { assertShortLived } from './assert-short-lived.ts'
import { findAccount } from './find-account.ts'
import { createGrant } from './granted-scopes.ts'
import { createInteractionPolicy } from './interaction-policy.ts'
import { interactionUrl } from './interaction-url.ts'
import { isOriginOfClient } from './is-origin-of-client.ts'
import type { PlainPages } from './plain-pages.ts'
import { resourceServerOf } from './resources.ts'

export async function createConfiguration(
  context: OpenIdContext,
  pages: PlainPages,
  fetch: GuardedFetch,
): Promise<Configuration> {
  const { config, keys, library } = context
  return {
    adapter: createAdapters(context, fetch),
    jwks: { keys: (await keys.listPrivateKeys()).map(({ privateJwk }) => privateJwk) },
    routes: ENDPOINTS,
    discovery: {
      ...authenticationAt('introspection_endpoint', CONFIDENTIAL_AUTHENTICATION_METHODS),
      ...authenticationAt('revocation_endpoint', CLIENT_AUTHENTICATION_METHODS),
      prompt_values_supported: ['none', 'login', 'select_account', 'consent'],
      ...(config.allowClientRegistration && { registration_endpoint: `${config.baseUrl}/api/auth/oauth2/register` }),
    },
    fetch: fetch as typeof globalThis.fetch,
    scopes: [...SCOPES],
    claims: CLAIMS_OF_SCOPES,
    acrValues: [ONE_STEP, TWO_STEP],
    subjectTypes: ['public'],
    responseTypes: ['code'],
    clientAuthMethods: [...CLIENT_AUTHENTICATION_METHODS],
    enabledJWA: {
      idTokenSigningAlgValues: [...SIGNING_ALGORITHMS],
      clientAuthSigningAlgValues: [...ASSERTION_ALGORITHMS],
      dPoPSigningAlgValues: [...ASSERTION_ALGORITHMS],
    },
    extraClientMetadata: { properties: OWN_METADATA },
    extraParams: ['organization'],
    allowOmittingSingleRegisteredRedirectUri: false,
    pkce: { required: () => true },
    cookies: {
      names: { session: 'openid-session', interaction: 'openid-interaction', resume: 'openid-resume' },
      long: { httpOnly: true, sameSite: 'lax', path: ENDPOINTS.end_session },
      short: { httpOnly: true, sameSite: 'lax' },
      keys: [],
    },
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      ClientCredentials: ACCESS_TOKEN_SECONDS,
      DeviceCode: DEVICE_CODE_SECONDS,
      Grant: REFRESH_TOKEN_SECONDS,
      IdToken: ACCESS_TOKEN_SECONDS,
      Interaction: INTERACTION_SECONDS,
      RefreshToken: REFRESH_TOKEN_SECONDS,
      Session: INTERACTION_SECONDS,
    },
    interactions: { policy: createInteractionPolicy(context), url: interactionUrl },
    loadExistingGrant: (ctx) => createGrant(context, ctx),
    findAccount: (_ctx, id, token) => findAccount(context, id, token),
    // Our database ends tokens with the session, so the library does not have to.
    expiresWithSession: () => false,
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client, source) => {
      if (!client.grantTypeAllowed('refresh_token')) return false
      const subject = source.grantId === undefined ? undefined : await findGrantSubject(context, source.grantId)
      if (!subject || subject.session.impersonatedBy !== null) return false
      // First-party clients such as Grafana send no `prompt=consent`, without which the library drops the scope.
      const isOffline = source.scopes.has('offline_access') && hasOfflineAccess(subject.grant.scopes)
      return isOffline || ownMetadataOf(client).skipConsent
    },
    extraTokenClaims: ({ oidc }, token) => accessTokenClaims(context, token, oidc.params?.scope),
    formats: { customizers: { jwt: (_ctx, token, parts) => finishAccessToken(context, token, parts) } },
    clientBasedCORS: ({ oidc }, origin, client) =>
      (client.tokenEndpointAuthMethod === 'none' || oidc.route === 'userinfo') && isOriginOfClient(client, origin),
    assertJwtClientAuthClaimsAndHeader: async (_ctx, { exp }) => assertShortLived(context, exp),
    renderError: (ctx, out, error) =>
      error instanceof library.errors.SessionNotFound
        ? pages.renderExpiredSignIn(ctx, out)
        : pages.renderError(ctx, out),
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      claimsParameter: { enabled: true },
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true, deviceInfo: originOfRequest },
      dPoP: { enabled: true },
      introspection: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) =>
          token.kind !== 'RefreshToken' ||
          (token.clientId === client.clientId && client.grantTypeAllowed('refresh_token')),
      },
      pushedAuthorizationRequests: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_ctx, _client, oneOf) => oneOf ?? config.baseUrl,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource) => resourceServerOf(context, resource),
      },
      revocation: {
        enabled: true,
        // The library would answer 200 to a client that may not revoke the token (RFC 7009, section 2.1).
        allowedPolicy: (_ctx, client, token) => {
          if (token.clientId === client.clientId) return true
          throw new library.errors.InvalidGrant('the token belongs to another client')
        },
      },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx) => pages.renderLogout(ctx),
        postLogoutSuccessSource: (ctx) => pages.renderLoggedOut(ctx),
      },
    },
  }
}

/** Without this, clients would expect `client_secret_basic` only (RFC 8414, section 2). */
function authenticationAt(endpoint: string, methods: readonly string[]): Record<string, readonly string[]> {
  return {
    [`${endpoint}_auth_methods_supported`]: methods,
    [`${endpoint}_auth_signing_alg_values_supported`]: ASSERTION_ALGORITHMS,
  }
}

function originOfRequest(): Pick<Actor, 'ipAddress' | 'userAgent'> {
  const { ipAddress, userAgent } = getRequestState().actor
  return { ipAddress, userAgent }
}

/** The library compares secrets, and the database has only their hashes. */
export function adaptClients(client: { prototype: object }): void {
  Object.assign(client.prototype, {
    compareClientSecret(this: { clientSecret: string }, secret: string): boolean {
      return hashToken(secret) === this.clientSecret
    },
    // Log-outs are queued by the database, and every ID token has a `sid`.
    async backchannelLogout(): Promise<void> {},
    includeSid: () => true,
  })
}
