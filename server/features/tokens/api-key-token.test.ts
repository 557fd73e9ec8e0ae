import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { secondProcess } from '../../../test/support/second-process.ts'
import { onEachDatabase, type Service } from '../../../test/support/service.ts'
import { administratorWithOrganization, type TestMember } from '../../../test/support/users.ts'

const API_KEY = '/api/auth/api-key'

onEachDatabase('tokens for API keys', (service) => {
  const getSecond = secondProcess(service)
  const make = async ({ client }: TestMember, input: Record<string, unknown> = {}) =>
    (await client.post(`${API_KEY}/create`, { name: 'Export', ...input })).body
  const mint = (at: Service, slug: string, key: string, headers: Record<string, string> = {}) =>
    at.client().get(`/api/token?org=${slug}`, { headers: { 'x-api-key': key, ...headers } })

  test('A token for an API key has its id, organization and role, no email address, and is never staff', async () => {
    const founder = await administratorWithOrganization(service(), { 'client-code': 'K-1' })
    const { id, key } = await make(founder, { role: 'admin' })
    const answer = await mint(service(), founder.organization.slug, key)
    assert.deepEqual([answer.status, answer.headers.get('cache-control')], [200, 'no-store'])
    const { iat = 0, exp = 0, jti, ...claims } = decodeJwt(answer.body.token)
    assert.deepEqual(claims, {
      iss: service().baseUrl,
      aud: 'accounts-services',
      sub: id,
      email: null,
      name: 'Export',
      org_id: founder.organization.id,
      org_slug: founder.organization.slug,
      org_role: 'admin',
      org_meta: { 'client-code': 'K-1' },
      is_staff: false,
    })
    assert.equal(exp - iat, 900)
    assert.ok(jti)
  })

  test('An API key gets tokens for its own organization only', async () => {
    const founder = await administratorWithOrganization(service())
    const other = await administratorWithOrganization(service())
    const { key } = await make(founder)
    for (const slug of [other.organization.slug, 'no-such-organization']) {
      const answer = await mint(service(), slug, key)
      assert.deepEqual([answer.status, answer.body.code], [404, 'ORGANIZATION_NOT_FOUND'])
    }
  })

  test('A refused API key or bearer token gets JSON although the client prefers HTML, as HttpURLConnection of Java does', async () => {
    const accept = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2'
    const ask = (headers: Record<string, string>) =>
      service()
        .client()
        .get('/api/token?org=acme', { headers: { accept, ...headers } })
    for (const [headers, code] of [
      [{ 'x-api-key': 'wrong' }, 'INVALID_API_KEY'],
      [{ authorization: 'Bearer wrong' }, 'UNAUTHORIZED'],
    ] as const) {
      const answer = await ask(headers)
      assert.deepEqual([answer.status, answer.body.code], [401, code])
    }
  })

  test('A disabled, expired or deleted API key gets no token from the next request on, in any process', async () => {
    const founder = await administratorWithOrganization(service())
    const { slug } = founder.organization
    const second = await getSecond()
    const { id, key } = await make(founder, { expiresIn: 3600 })
    const expectBoth = async (status: number, code?: string) => {
      for (const at of [service(), second]) {
        const answer = await mint(at, slug, key)
        assert.deepEqual([answer.status, answer.body.code], [status, code])
      }
    }
    await expectBoth(200)
    await founder.client.post(`${API_KEY}/update`, { keyId: id, enabled: false })
    await expectBoth(401, 'KEY_DISABLED')
    await founder.client.post(`${API_KEY}/update`, { keyId: id, enabled: true, role: 'admin' })
    assert.equal(decodeJwt((await mint(second, slug, key)).body.token).org_role, 'admin')
    service().advance(3_600_000)
    second.advance(3_600_000)
    await expectBoth(401, 'KEY_EXPIRED')
    const newer = await administratorWithOrganization(service())
    const gone = await make(newer)
    await newer.client.post(`${API_KEY}/delete`, { keyId: gone.id })
    assert.equal((await mint(second, newer.organization.slug, gone.key)).body.code, 'INVALID_API_KEY')
  })

  test('The audit log names a disabled or expired API key that is refused, and its organization', async () => {
    const founder = await administratorWithOrganization(service())
    const { id, slug } = founder.organization
    const { id: keyId, key } = await make(founder, { expiresIn: 3600 })
    await founder.client.post(`${API_KEY}/update`, { keyId, enabled: false })
    await mint(service(), slug, key)
    await founder.client.post(`${API_KEY}/update`, { keyId, enabled: true })
    service().advance(3_600_000)
    const { body } = await mint(service(), slug, key)
    assert.deepEqual(Object.keys(body), ['code', 'message'])
    await mint(service(), slug, 'x')
    await service().context.repeatedEvents.save()
    const list = `/api/auth/organization/list-audit-events?organizationId=${id}&action=access.refused`
    const { body: listed } = await founder.client.get(list)
    const events = listed.events.map((event: Record<string, unknown>) => [
      event.actorId,
      event.subjectId,
      event.subjectName,
      event.ipAddress,
      event.details,
    ])
    const details = (code: string) => ({ route: '/api/token', code, count: 1 })
    assert.deepEqual(events, [
      [null, keyId, 'Export', null, details('KEY_EXPIRED')],
      [null, keyId, 'Export', null, details('KEY_DISABLED')],
    ])
  })

  test('lastUsedAt of an API key is updated at most once a minute, also with concurrent requests', async () => {
    const founder = await administratorWithOrganization(service())
    const { id, key } = await make(founder)
    const lastRequest = async () => (await founder.client.get(`${API_KEY}/get?id=${id}`)).body.lastRequest
    assert.equal(await lastRequest(), null)
    await Promise.all(Array.from({ length: 10 }, () => mint(service(), founder.organization.slug, key)))
    const first = await lastRequest()
    assert.ok(first)
    service().advance(50_000)
    await mint(service(), founder.organization.slug, key)
    assert.equal(await lastRequest(), first)
    service().advance(15_000)
    await mint(service(), founder.organization.slug, key)
    assert.ok(Date.parse(await lastRequest()) - Date.parse(first) >= 60_000)
  })

  test('No other route accepts an API key, and a request with an API key and a session is refused', async () => {
    const founder = await administratorWithOrganization(service())
    const { key } = await make(founder)
    const headers = { 'x-api-key': key }
    for (const path of ['/api/auth/token', '/api/auth/organization/list', `${API_KEY}/list`]) {
      assert.equal((await service().client().get(path, { headers })).status, 401, path)
    }
    assert.equal((await service().client().get('/api/auth/get-session', { headers })).body, null)
    const withJunk = { headers: { 'x-api-key': 'junk' } }
    assert.equal((await service().client().get('/api/auth/get-session', withJunk)).status, 200)
    assert.equal((await founder.client.get('/api/auth/organization/list', withJunk)).status, 200)
    const both = await founder.client.get(`/api/token?org=${founder.organization.slug}`, { headers })
    assert.deepEqual([both.status, both.body.code], [401, 'CONFLICTING_CREDENTIALS'])
    for (const bad of ['', ' ', 'x', `${key}, ${key}`, founder.token, 'a'.repeat(5_000)]) {
      const answer = await mint(service(), founder.organization.slug, bad)
      assert.equal(answer.status, 401, bad.slice(0, 20))
    }
  })
})
