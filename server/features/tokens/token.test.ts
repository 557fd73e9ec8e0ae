import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { bearerClient } from '../../../test/support/bearer-client.ts'
import { secondProcess } from '../../../test/support/second-process.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import {
  administrator,
  administratorWithOrganization,
  member,
  PASSWORD,
  type TestUser,
} from '../../../test/support/users.ts'
import { AUTHENTICATION_METHODS } from '../../core/sessions/authentication-methods.ts'
import { hashToken } from '../../platform/crypto/tokens.ts'

onEachDatabase('tokens', (service) => {
  const getSecond = secondProcess(service)

  test('GET /api/auth/token is for the active organization, and GET /api/token for the slug', async () => {
    const founder = await administratorWithOrganization(service())
    const other = await administratorWithOrganization(service())
    const { client, organization } = founder
    const active = await client.get('/api/auth/token')
    assert.equal(decodeJwt(active.body.token).org_id, organization.id)
    assert.equal(active.headers.get('cache-control'), 'no-store')
    await client.post('/api/auth/organization/set-active', { organizationId: other.organization.id })
    assert.equal(decodeJwt((await client.get('/api/auth/token')).body.token).org_id, other.organization.id)
    await client.post('/api/auth/organization/set-active', { organizationId: null })
    const none = await client.get('/api/auth/token')
    assert.deepEqual([none.status, none.body.code], [400, 'NO_ACTIVE_ORGANIZATION'])
    const bySlug = await client.get(`/api/token?org=${organization.slug}`)
    assert.equal(decodeJwt(bySlug.body.token).org_slug, organization.slug)
    const ignored = await client.get(`/api/auth/token?org=${organization.slug}`)
    assert.equal(ignored.body.code, 'NO_ACTIVE_ORGANIZATION')
  })

  test('CVE-2026-55669: a token contains only the client code of the metadata, which imitates no claim', async () => {
    const hostile = { is_staff: false, sub: 'somebody', exp: 9e9, aud: 'elsewhere', org_role: 'god' }
    const { client, organization, id } = await administratorWithOrganization(service(), {
      'client-code': 'EW-1',
      ...hostile,
    })
    const claims = decodeJwt((await client.get(`/api/token?org=${organization.slug}`)).body.token)
    assert.deepEqual(claims.org_meta, { 'client-code': 'EW-1' })
    assert.deepEqual(
      [claims.sub, claims.aud, claims.org_role, claims.is_staff],
      [id, 'accounts-services', 'owner', true],
    )
    assert.equal(Number(claims.exp) - Number(claims.iat), 900)
  })

  test('CVE-2026-55669: a token has no client code when the stored one is not text', async () => {
    const { client, organization } = await administratorWithOrganization(service())
    const { database } = service().context
    const metadata = JSON.stringify({ 'client-code': { sub: 'somebody' } })
    await database.updateTable('organizations').set({ metadata }).where('id', '=', organization.id).execute()
    const claims = decodeJwt((await client.get(`/api/token?org=${organization.slug}`)).body.token)
    assert.deepEqual(claims.org_meta, { 'client-code': null })
  })

  test('CVE-2023-22492, CVE-2025-64521: a banned user gets no token from the next request on, in any process', async () => {
    const founder = await administratorWithOrganization(service())
    const hire = await member(service(), founder)
    const path = `/api/token?org=${founder.organization.slug}`
    const elsewhere = bearerClient(await getSecond(), hire)
    // Twice, so that both processes have the user in their caches.
    for (const client of [elsewhere, hire.client, elsewhere, hire.client])
      assert.equal((await client.get(path)).status, 200)
    const user = service().context.database.updateTable('users').where('id', '=', hire.id)
    await user.set({ banned: 1 }).execute()
    assert.equal((await elsewhere.get(path)).status, 401)
    assert.equal((await hire.client.get(path)).status, 401)
    await user.set({ banned: 0, emailVerified: 0 }).execute()
    assert.equal((await elsewhere.get(path)).body.code, 'EMAIL_NOT_VERIFIED')
  })

  test('requireTwoFactor of an organization holds from the next request on, in any process', async () => {
    const founder = await administratorWithOrganization(service())
    const { slug, id: organizationId } = founder.organization
    const elsewhere = bearerClient(await getSecond(), founder)
    // Only a session with the second step may switch it off.
    const partner = await member(service(), founder, 'owner')
    await service()
      .context.database.updateTable('sessions')
      .set({ authenticationMethods: AUTHENTICATION_METHODS.passkey })
      .where('tokenHash', '=', hashToken(partner.token))
      .execute()
    for (const [requireTwoFactor, status] of [
      [false, 200],
      [true, 403],
      [false, 200],
    ] as const) {
      await partner.client.post('/api/auth/organization/update', { organizationId, data: { requireTwoFactor } })
      const statuses = [founder.client, elsewhere].map(
        async (client) => (await client.get(`/api/token?org=${slug}`)).status,
      )
      assert.deepEqual(await Promise.all(statuses), [status, status])
    }
  })

  test('is_staff of a token follows the current role', async () => {
    const founder = await administratorWithOrganization(service())
    const hire = await member(service(), founder)
    for (const [role, isStaff] of [
      ['support', true],
      ['user', false],
    ] as const) {
      await service().context.database.updateTable('users').set({ role }).where('id', '=', hire.id).execute()
      const { token } = (await hire.client.get('/api/auth/token')).body
      assert.equal(decodeJwt(token).is_staff, isStaff)
    }
  })

  test('amr and auth_time of a token say how and when the session started, and stay with later tokens', async () => {
    const { client, organization } = await administratorWithOrganization(service())
    const claims = async () => {
      const { amr, auth_time } = decodeJwt((await client.get(`/api/token?org=${organization.slug}`)).body.token)
      return { amr, auth_time }
    }
    const { session } = (await client.get('/api/auth/get-session')).body
    const first = await claims()
    assert.deepEqual(first, { amr: ['pwd'], auth_time: Math.floor(Date.parse(session.createdAt) / 1000) })
    service().advance(60_000)
    await client.post('/api/auth/verify-password', { password: PASSWORD })
    assert.deepEqual(await claims(), first)
  })

  test('act of a token names the impersonator, and is missing without one', async () => {
    const admin = await administrator(service())
    const founder = await administratorWithOrganization(service())
    const hire = await member(service(), founder)
    const tokens = async ({ client }: Pick<TestUser, 'client'>) => {
      const { slug, id: organizationId } = founder.organization
      await client.post('/api/auth/organization/set-active', { organizationId })
      const answers = [await client.get('/api/auth/token'), await client.get(`/api/token?org=${slug}`)]
      return answers.map(({ body }) => decodeJwt(body.token))
    }
    for (const claims of await tokens(hire)) assert.ok(!('act' in claims))
    const started = await admin.client.post('/api/auth/admin/impersonate-user', { userId: hire.id })
    assert.equal(started.status, 200)
    for (const claims of await tokens(admin)) {
      assert.deepEqual(claims.act, { sub: admin.id })
      assert.equal(claims.sub, hire.id)
    }
  })
})
