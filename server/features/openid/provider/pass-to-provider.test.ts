import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { insertTestClient } from '../../../../test/support/oauth-clients.ts'
import { authorizationRequest, createTestApp, REDIRECT_URI, signInTo } from '../../../../test/support/openid.ts'
import { type Service, startService } from '../../../../test/support/service.ts'
import { newMember } from '../../../../test/support/users.ts'

describe('The provider behind our routes', () => {
  let service: Service
  before(async () => {
    service = await startService({ engine: 'sqlite' })
  })
  after(() => service.stop())

  test('No header of a request changes an address in an answer', async () => {
    const { port } = new URL(service.baseUrl)
    const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil.example' }
    const body = await new Promise<string>((resolve, reject) => {
      httpRequest({
        port,
        path: '/.well-known/openid-configuration',
        headers: { host: `localhost:${port}`, ...headers },
      })
        .on('response', (response) => text(response).then(resolve, reject))
        .on('error', reject)
        .end()
    })
    const { issuer, ...endpoints } = JSON.parse(body) as Record<string, string>
    assert.equal(issuer, service.baseUrl)
    const addresses = Object.entries(endpoints).filter(([name]) => /_endpoint$|_uri$/.test(name))
    assert.ok(addresses.length > 8)
    for (const [name, address] of addresses) assert.ok(address.startsWith(`${service.baseUrl}/`), `${name} ${address}`)
  })

  test('A page of the service itself may call the endpoints of clients', async () => {
    const app = await createTestApp(service)
    const credentials = Buffer.from(`${app.id}:${app.secret}`).toString('base64')
    const headers = {
      authorization: `Basic ${credentials}`,
      'content-type': 'application/x-www-form-urlencoded',
    }
    const form = { rawBody: 'grant_type=client_credentials', headers: { ...headers, origin: service.baseUrl } }
    assert.equal((await service.client().post('/api/auth/oauth2/token', undefined, form)).status, 200)
  })

  test('A response to HEAD has the content-length of the response to GET', async () => {
    const { access_token } = await signInTo(await newMember(service), await createTestApp(service))
    const userinfo = { headers: { authorization: `Bearer ${access_token}` } }
    for (const [path, init] of [
      ['/.well-known/openid-configuration', {}],
      ['/.well-known/oauth-authorization-server', {}],
      ['/api/auth/oauth2/userinfo', userinfo],
    ] as const) {
      const get = await fetch(service.baseUrl + path, init)
      const { headers } = await fetch(service.baseUrl + path, { ...init, method: 'HEAD' })
      const { length } = await get.bytes()
      assert.deepEqual([get.status, headers.get('content-length')], [200, String(length)], path)
    }
  })

  test('The answers have the security headers of all answers, and no cookie but that of the interaction', async () => {
    const app = await createTestApp(service)
    const { headers } = await service.client().get((await authorizationRequest(app)).path)
    assert.match(headers.get('content-security-policy') ?? '', /form-action 'self'; frame-ancestors 'none'$/)
    assert.equal(headers.get('x-frame-options'), 'DENY')
    const [cookie = '', ...others] = headers.getSetCookie()
    assert.deepEqual(others, [])
    assert.match(cookie, /^openid-resume=[\w-]+; path=\/api\/auth\/oauth2\/authorize\/[\w-]+;.*samesite=lax; httponly/)
  })
})

test('With https the cookie of an interaction is sent over https only', async (t) => {
  const environment = { BASE_URL: 'https://accounts.example.com', SMTP_URL: 'smtp://127.0.0.1:1' }
  const service = await startService({ engine: 'sqlite', environment })
  t.after(() => service.stop())
  const { id } = await insertTestClient(service, { redirect_uris: [REDIRECT_URI] })
  const { path } = await authorizationRequest({ id }, { scope: 'openid' })
  const response = await fetch(`http://localhost:${service.config.port}${path}`, {
    redirect: 'manual',
    headers: { 'x-forwarded-host': 'accounts.example.com' },
  })
  assert.match(response.headers.getSetCookie().join(), /^openid-resume=.*; secure; httponly/)
})
