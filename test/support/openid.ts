import assert from 'node:assert/strict'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  ClientSecretBasic,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  None,
  randomPKCECodeVerifier,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
} from 'openid-client'
import { type ClientMetadata, GRANT_TYPES } from '../../server/core/oauth-clients/metadata.ts'
import { SCOPES } from '../../server/core/oauth-clients/scopes.ts'
import { hashToken, newToken } from '../../server/platform/crypto/tokens.ts'
import type { OAuthClientRow } from '../../server/platform/database/tables.ts'
import type { Answer } from './client.ts'
import { insertTestClient } from './oauth-clients.ts'
import type { Service } from './service.ts'
import type { TestUser } from './users.ts'

export const REDIRECT_URI = 'https://app.example.com/callback'
const ALL_SCOPES = SCOPES.join(' ')

export interface TestApp {
  id: string
  secret: string
  /** The official configuration of openid-client, by discovery. */
  config: Configuration
}

export type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers

/** A confidential first-party client with every grant, unless the metadata or the columns say otherwise. */
export async function createTestApp(
  service: Service,
  metadata: Partial<ClientMetadata> = {},
  columns: Partial<OAuthClientRow> = {},
): Promise<TestApp> {
  const secret = newToken(service.context)
  const isPublic = metadata.token_endpoint_auth_method === 'none'
  const { id } = await insertTestClient(
    service,
    {
      redirect_uris: [REDIRECT_URI],
      post_logout_redirect_uris: ['https://app.example.com/bye'],
      grant_types: [...GRANT_TYPES],
      scope: ALL_SCOPES,
      token_endpoint_auth_method: 'client_secret_basic',
      ...metadata,
    },
    { secretHash: isPublic ? null : hashToken(secret), skipConsent: 1, createdBy: 'usr_operator', ...columns },
  )
  const authentication = isPublic ? None() : ClientSecretBasic(secret)
  const config = await discovery(new URL(service.baseUrl), id, undefined, authentication, {
    execute: [allowInsecureRequests],
  })
  return { id, secret, config }
}

/** An authorization request of a client. */
export interface Request {
  path: string
  codeVerifier: string
}

/** @param parameters added to the usual parameters. The value undefined removes a parameter. */
export async function authorizationRequest(
  app: Pick<TestApp, 'id'>,
  parameters: Record<string, string | undefined> = {},
): Promise<Request> {
  const codeVerifier = randomPKCECodeVerifier()
  const all = {
    client_id: app.id,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: ALL_SCOPES,
    state: 'state of the client',
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    ...parameters,
  }
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { path: `/api/auth/oauth2/authorize?${new URLSearchParams(given)}`, codeVerifier }
}

export function locationOf({ headers, status, body }: Answer): URL {
  const location = headers.get('location')
  assert.ok(location, `no redirect: ${status} ${JSON.stringify(body).slice(0, 500)}`)
  return new URL(location, 'http://service')
}

/** The code in the redirect to the client. */
export function codeIn(answer: Answer): string {
  const url = locationOf(answer)
  const code = url.searchParams.get('code')
  assert.ok(code, `no code: ${url}`)
  return code
}

/** Signs a user in to an app without a page in between. */
export async function signInTo(
  user: TestUser,
  app: TestApp,
  parameters: Record<string, string | undefined> = {},
): Promise<Tokens> {
  const { path, codeVerifier } = await authorizationRequest(app, parameters)
  const answer = await user.client.get(path)
  codeIn(answer)
  return authorizationCodeGrant(app.config, locationOf(answer), {
    pkceCodeVerifier: codeVerifier,
    expectedState: 'state of the client',
    ...(parameters.nonce !== undefined && { expectedNonce: parameters.nonce }),
  })
}

/** The payload of a JWT, which is not verified. */
export function payloadOf(jwt: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
}
