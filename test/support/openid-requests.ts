import type { Answer } from './client.ts'
import { authorizationRequest, codeIn, REDIRECT_URI, type TestApp } from './openid.ts'
import type { Service } from './service.ts'
import type { TestUser } from './users.ts'

type Parameters = Record<string, string> | URLSearchParams | string

/** A form from a server of a client: without cookies and origin. */
export async function postForm(
  { baseUrl }: Pick<Service, 'baseUrl'>,
  path: string,
  parameters: Parameters,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: typeof parameters === 'string' ? parameters : new URLSearchParams(parameters).toString(),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

export function basicOf({ id, secret }: Pick<TestApp, 'id' | 'secret'>): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
}

export const postToken = (service: Pick<Service, 'baseUrl'>, app: TestApp, parameters: Parameters) =>
  postForm(service, '/api/auth/oauth2/token', parameters, basicOf(app))

export const introspect = async (service: Pick<Service, 'baseUrl'>, app: TestApp, token: string): Promise<Answer> =>
  postForm(service, '/api/auth/oauth2/introspect', { token }, basicOf(app))

export const refresh = (service: Pick<Service, 'baseUrl'>, app: TestApp, token: string, more = {}) =>
  postToken(service, app, { grant_type: 'refresh_token', refresh_token: token, ...more })

export const exchange = (service: Pick<Service, 'baseUrl'>, app: TestApp, token: string, more = {}) =>
  postToken(service, app, {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    ...more,
  })

export const userinfo = async ({ baseUrl }: Pick<Service, 'baseUrl'>, token: string): Promise<Answer> => {
  const response = await fetch(`${baseUrl}/api/auth/oauth2/userinfo`, { headers: { authorization: `Bearer ${token}` } })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

/** A code that a client has not redeemed, and the parameters with which it would. */
export async function unredeemedCode(
  { client }: Pick<TestUser, 'client'>,
  app: TestApp,
  parameters: Record<string, string | undefined> = {},
): Promise<Record<string, string>> {
  const { path, codeVerifier } = await authorizationRequest(app, parameters)
  const code = codeIn(await client.get(path))
  const redirectUri = parameters.redirect_uri ?? REDIRECT_URI
  return { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: codeVerifier }
}
