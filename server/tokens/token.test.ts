import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { asking, besideService } from '../../test/support/beside.ts'
import { member, owner } from '../../test/support/people.ts'
import { onEachDatabase } from '../../test/support/service.ts'

onEachDatabase('A token', (service) => {
  const beside = besideService(service)

  test('for the active organization follows it; by slug it never depends on it', async () => {
    const founder = await owner(service())
    const other = await owner(service())
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
    assert.equal((await client.get(`/api/auth/token?org=${organization.slug}`)).body.field, 'org')
  })

  test('CVE-2023-22492, CVE-2025-64521: is refused from the very next call on to who is banned, in any process', async () => {
    const founder = await owner(service())
    const hire = await member(service(), founder)
    const path = `/api/token?org=${founder.organization.slug}`
    const elsewhere = asking(await beside(), hire)
    assert.equal((await elsewhere.get(path)).status, 200)
    const user = service().context.database.updateTable('users').where('id', '=', hire.id)
    await user.set({ banned: 1 }).execute()
    assert.equal((await elsewhere.get(path)).status, 401)
    assert.equal((await hire.client.get(path)).status, 401)
    await user.set({ banned: 0, emailVerified: 0 }).execute()
    assert.equal((await elsewhere.get(path)).body.code, 'EMAIL_NOT_VERIFIED')
  })

  test('says who is staff, as they are now', async () => {
    const founder = await owner(service())
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
})
