import assert from 'node:assert/strict'
import { type Answer, newAddress, toAnswer } from './client.ts'
import { authorizationRequest, codeIn, locationOf, REDIRECT_URI, type TestApp } from './openid.ts'
import type { Service } from './service.ts'
import { PASSWORD, type TestUser } from './users.ts'

type Form = Record<string, string>

/** A request of a client, which has neither cookies nor an origin, without a library. */
export async function postForm(
  { baseUrl }: Pick<Service, 'baseUrl'>,
  path: string,
  form: Form | URLSearchParams,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(new URL(path, baseUrl), {
    method: 'POST',
    body: new URLSearchParams(form),
    redirect: 'manual',
    headers: { 'x-forwarded-for': newAddress(), ...headers },
  })
  return toAnswer(response)
}

export function basic({ id, secret }: Pick<TestApp, 'id' | 'secret'>): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
}

/** A request to the token endpoint, with the secret in the header. */
export function askToken(service: Service, app: Pick<TestApp, 'id' | 'secret'>, form: Form, headers = basic(app)) {
  return postForm(service, '/api/auth/oauth2/token', form, headers)
}

/** The form that redeems a code. */
export function codeForm(code: string, codeVerifier: string): Form {
  return { grant_type: 'authorization_code', code, code_verifier: codeVerifier, redirect_uri: REDIRECT_URI }
}

/** A code of a user for an app, without a page in between, in the form that redeems it. */
export async function newCodeForm(
  user: TestUser,
  app: Pick<TestApp, 'id'>,
  parameters: Record<string, string | undefined> = {},
): Promise<Form> {
  const { path, codeVerifier } = await authorizationRequest(app, parameters)
  return codeForm(codeIn(await user.client.get(path)), codeVerifier)
}

/** The interaction in a redirect to a page. */
export function interactionIn(answer: Answer, page: string): { query: string; resumePath: string; url: URL } {
  const url = locationOf(answer)
  assert.equal(url.pathname, page)
  const query = url.search.slice(1)
  return { query, resumePath: `/api/auth/oauth2/authorize/${url.searchParams.get('interaction')}`, url }
}

/** Signs in on the page of an authorization, and goes on. */
export async function signInOnPage(
  client: TestUser['client'],
  answer: Answer,
  { email }: Pick<TestUser, 'email'>,
): Promise<Answer> {
  const { resumePath } = interactionIn(answer, '/sign-in')
  assert.equal((await client.post('/api/auth/sign-in/email', { email, password: PASSWORD })).status, 200)
  return client.get(resumePath)
}

/** The error in a redirect to the client: with a sentence, the state and the issuer, and without a code. */
export function errorIn(answer: Answer): string | null {
  const { search, hash } = locationOf(answer)
  const searchParams = new URLSearchParams(hash.slice(1) || search)
  assert.equal(searchParams.get('code'), null)
  assert.equal(searchParams.get('state'), 'state of the client')
  assert.match(searchParams.get('error_description') ?? '', /\w+ \w+/)
  assert.ok(searchParams.get('iss'))
  return searchParams.get('error')
}

/** A refusal of RFC 6749, section 5.2, with a sentence. @returns the status and the code */
export function refusalOf({ status, headers, body }: Answer): [number, string] {
  assert.match(body.error_description ?? '', /\w+ \w+/, JSON.stringify(body))
  assert.equal(headers.get('cache-control'), 'no-store')
  return [status, body.error]
}

/** Our page about the request of the client, instead of a redirect. @returns the code in it */
export function pageErrorOf(answer: Answer): string | undefined {
  assert.match(answer.body, /client|redirect/)
  return plainPageErrorOf(answer)
}

/** Our page about a step of the user that came late or twice, without a word to the developers of the client. */
export function assertExpired(answer: Answer, title: string): void {
  assert.equal(plainPageErrorOf(answer), 'invalid_request')
  assert.ok(answer.body.includes(`<h1>${title} has expired</h1>`), answer.body)
  assert.doesNotMatch(answer.body, /developers|client|redirect/)
}

function plainPageErrorOf({ status, headers, body }: Answer): string | undefined {
  assert.equal(status, 400)
  assert.equal(headers.get('location'), null)
  assert.match(headers.get('content-type') ?? '', /^text\/html/)
  assert.doesNotMatch(headers.get('content-security-policy') ?? 'script-src', /script-src/)
  assert.doesNotMatch(body, /<script/)
  return /data-error="([^"]*)"/.exec(body)?.[1]
}
