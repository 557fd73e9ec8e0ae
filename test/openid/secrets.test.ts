import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { Answer } from '../support/client.ts'
import { authorizationRequest, codeIn, createTestApp, type TestApp } from '../support/openid.ts'
import { askToken, basic, codeForm, interactionIn, newCodeForm, postForm } from '../support/protocol.ts'
import { type Service, startService } from '../support/service.ts'
import { listStoredRows } from '../support/stored-rows.ts'
import { askUserinfo, exchange, introspect, refresh, revoke } from '../support/token-requests.ts'
import { newMember, type TestUser } from '../support/users.ts'

const AUTH = '/api/auth'
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

type Form = Record<string, string>

/** A token of an app with a key of its own, and the client assertion. */
async function askWithAssertion(service: Service): Promise<{ assertion: string; body: Answer['body'] }> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'a' }
  const { id } = await createTestApp(service, { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } })
  const assertion = await new SignJWT({ jti: randomUUID(), iss: id, sub: id, aud: service.baseUrl })
    .setExpirationTime('1m')
    .setProtectedHeader({ alg: 'ES256', kid: 'a' })
    .sign(privateKey)
  const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  const form = { grant_type: 'client_credentials', client_assertion_type, client_assertion: assertion }
  return { assertion, body: (await postForm(service, `${AUTH}/oauth2/token`, form)).body }
}

/** Opens pages of authorizations with a hint, also of pushed requests, and leaves them open. */
async function openPages(service: Service, user: TestUser, app: TestApp, id_token_hint: string): Promise<void> {
  const paths = await Promise.all(
    [{}, { acr_values: 'urn:accounts:two-step' }].map(async (more) => {
      const { path } = await authorizationRequest(app, { id_token_hint, ...more })
      const { searchParams } = new URL(path, service.baseUrl)
      const { body } = await postForm(service, `${AUTH}/oauth2/par`, searchParams, basic(app))
      const query = new URLSearchParams({ client_id: app.id, request_uri: body.request_uri })
      return [path, `${AUTH}/oauth2/authorize?${query}`]
    }),
  )
  for (const path of paths.flat()) for (const client of [user.client, service.client()]) await client.get(path)
}

/** Signs a user in to an app by the page that asks for consent. */
async function signInByConsent(service: Service, { client }: TestUser) {
  const app = await createTestApp(service, {}, { skipConsent: 0 })
  const { path, codeVerifier } = await authorizationRequest(app)
  const { query, resumePath } = interactionIn(await client.get(path), '/consent')
  await client.post(`${AUTH}/oauth2/consent`, { accept: true, oauth_query: query })
  const form = codeForm(codeIn(await client.get(resumePath)), codeVerifier)
  return { form, body: (await askToken(service, app, form)).body }
}

async function runDeviceFlow(service: Service, { client }: TestUser, app: TestApp, credentials: Form) {
  const ask = async (form: Form, headers = {}) =>
    (await postForm(service, `${AUTH}/device/code`, { scope: 'openid', ...form }, headers)).body
  const device = await ask(credentials)
  const denied = await ask({}, basic(app))
  const waiting = await ask({}, basic(app))
  await client.get(`${AUTH}/device?user_code=${device.user_code}`)
  await client.post(`${AUTH}/device/approve`, { userCode: device.user_code })
  await client.post(`${AUTH}/device/deny`, { userCode: denied.user_code })
  const poll = { grant_type: DEVICE_GRANT, device_code: device.device_code, ...credentials }
  return { codes: [device, denied, waiting], body: (await postForm(service, `${AUTH}/oauth2/token`, poll)).body }
}

/** Every flow once, also with refused requests. @returns everything secret that was sent or received */
async function runFlows(service: Service): Promise<string[]> {
  const user = await newMember(service)
  const app = await createTestApp(service)
  const posting = await createTestApp(service, { token_endpoint_auth_method: 'client_secret_post' })
  const credentials = { client_id: posting.id, client_secret: posting.secret }
  const first = await newCodeForm(user, app)
  const unredeemed = await newCodeForm(user, app)
  const { body: tokens } = await askToken(service, app, first)
  const { body: refreshed } = await refresh(service, app, tokens.refresh_token)
  const { body: exchanged } = await exchange(service, app, refreshed.access_token)
  const machine = { grant_type: 'client_credentials', ...credentials }
  const { body: ofMachine } = await postForm(service, `${AUTH}/oauth2/token`, machine)
  const asserted = await askWithAssertion(service)
  const consented = await signInByConsent(service, user)
  const device = await runDeviceFlow(service, user, app, credentials)
  const { searchParams } = new URL((await authorizationRequest(posting)).path, service.baseUrl)
  searchParams.set('client_secret', posting.secret)
  assert.equal((await postForm(service, `${AUTH}/oauth2/par`, searchParams)).status, 201)
  await openPages(service, user, app, tokens.id_token)
  const bodies = [tokens, refreshed, exchanged, ofMachine, asserted.body, consented.body, device.body]
  const secrets = [
    ...[first, unredeemed, consented.form].flatMap(({ code = '', code_verifier = '' }) => [code, code_verifier]),
    ...bodies.flatMap((body) => [body.access_token, body.refresh_token, body.id_token]),
    ...device.codes.flatMap(({ device_code, user_code }) => [device_code, user_code, user_code.replace('-', '')]),
    ...[app.secret, posting.secret, asserted.assertion, user.token],
  ].filter((secret) => secret !== undefined)
  // Each secret is sent in each place where a secret is not valid.
  for (const secret of secrets) {
    await introspect(service, app, secret)
    await revoke(service, posting, secret)
    await askUserinfo(service, secret)
    await refresh(service, app, secret)
    await exchange(service, app, secret)
    await askToken(service, app, { ...unredeemed, code: secret })
    await askToken(service, app, { grant_type: DEVICE_GRANT, device_code: secret })
    await askToken(service, { ...app, secret }, unredeemed)
    await user.client.get(`${AUTH}/oauth2/authorize?client_id=${secret}&login_hint=${secret}&request_uri=${secret}`)
    await user.client.get(`${AUTH}/oauth2/end-session?id_token_hint=${secret}`)
  }
  await logOut(user, tokens.id_token)
  return secrets
}

/** Chooses on the page of the log-out to stay signed in here. */
async function logOut({ client }: TestUser, idToken: string): Promise<void> {
  const { body } = await client.get(`${AUTH}/oauth2/end-session?id_token_hint=${idToken}`)
  const rawBody = `xsrf=${/name="xsrf" value="([^"]+)"/.exec(body)?.[1]}`
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { status } = await client.post(`${AUTH}/oauth2/end-session/confirm`, undefined, { rawBody, headers })
  assert.equal(status, 303)
}

for (const engine of ['sqlite', 'postgres'] as const)
  test(`CVE-2025-11537, CVE-2024-4540: no code, token or secret of OpenID Connect is stored or logged (${engine})`, async (t) => {
    let log = ''
    const service = await startService({
      engine,
      environment: { USER_CHANGES_PER_MINUTE: '1000000' },
      onLog: (line) => {
        log += line
      },
    })
    t.after(() => service.stop())
    const secrets = await runFlows(service)
    assert.ok(secrets.length > 30)
    assert.ok(log.split('\n').length > 100)
    log = withContentsOfJwts(log)
    const replacer = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
    const stored = withContentsOfJwts(JSON.stringify(await listStoredRows(service.context.database), replacer))
    for (const [index, secret] of secrets.entries()) {
      assert.ok(secret.length >= 8)
      assert.ok(!log.includes(secret), `the log contains secret ${index}: ${excerpt(log, secret)}`)
      assert.ok(!stored.includes(secret), `the database contains secret ${index}: ${excerpt(stored, secret)}`)
    }
  })

/** The encoding of a JWT would hide the secrets in it. */
function withContentsOfJwts(text: string): string {
  const parts = text.match(/eyJ[\w-]+/g) ?? []
  return [text, ...parts.map((part) => Buffer.from(part, 'base64url').toString())].join('\n')
}

function excerpt(text: string, secret: string): string {
  const at = text.indexOf(secret)
  return text.slice(Math.max(0, at - 300), at + 50)
}
