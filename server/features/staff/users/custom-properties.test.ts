import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../../test/support/service.ts'
import {
  administrator,
  administratorWithOrganization,
  member,
  newEmail,
  PASSWORD,
  signedIn,
} from '../../../../test/support/users.ts'

const UPDATE = '/api/auth/admin/update-user'
const CREATE = '/api/auth/admin/create-user'

onEachDatabase('Custom properties', (service) => {
  const created = async (data: Record<string, unknown> = {}) => {
    const admin = await administrator(service())
    const testUser = { email: newEmail(), name: 'Nia New', password: PASSWORD }
    const { status, body } = await admin.client.post(CREATE, { ...testUser, data: { emailVerified: true, ...data } })
    assert.equal(status, 200, JSON.stringify(body))
    const change = (properties: Record<string, unknown>) =>
      admin.client.post(UPDATE, { userId: body.user.id, data: properties })
    return { admin, user: body.user, change }
  }

  test('create-user and update-user store any JSON, and null removes a property', async () => {
    const { admin, user, change } = await created({ costCentre: 'A-1', tags: ['x', { y: [null, 1.5] }], gone: null })
    assert.deepEqual([user.costCentre, user.tags, 'gone' in user], ['A-1', ['x', { y: [null, 1.5] }], false])
    const { body } = await change({ costCentre: null, 'größe 字': { nested: null }, done: false })
    assert.deepEqual(
      ['costCentre' in body.user, body.user.tags, body.user['größe 字'], body.user.done],
      [false, user.tags, { nested: null }, false],
    )
    const got = (await admin.client.get(`/api/auth/admin/get-user?id=${user.id}`)).body.user
    assert.deepEqual(got, body.user)
    const query = `searchValue=${encodeURIComponent(user.email)}`
    assert.deepEqual((await admin.client.get(`/api/auth/admin/list-users?${query}`)).body.users, [got])
    const { client } = await signedIn(service(), user.email)
    assert.deepEqual((await client.get('/api/auth/get-session')).body.user, got)
    await change({ done: true })
    assert.equal((await client.get('/api/auth/get-session')).body.user.done, true)
  })

  test('A user can neither set nor remove a custom property, and a basic user has none', async () => {
    const { user } = await created({ plan: 'gold' })
    const { client } = await signedIn(service(), user.email)
    for (const body of [{ plan: 'free' }, { plan: null }, { data: { plan: 'free' } }, { properties: '{}' }])
      assert.equal((await client.post('/api/auth/update-user', body)).status, 400, JSON.stringify(body))
    const passwords = { currentPassword: PASSWORD, newPassword: 'an entirely new passphrase' }
    const changed = await client.post('/api/auth/change-password', passwords)
    assert.equal(changed.status, 200)
    assert.equal('plan' in changed.body.user, false)
  })

  test('A custom property overrides no field of the service, even when it was stored before the field was reserved', async () => {
    const { user, admin } = await created()
    const properties = JSON.stringify({ role: 'admin', id: 'usr_1', banned: true, plan: 'gold' })
    await service().context.database.updateTable('users').set({ properties }).where('id', '=', user.id).execute()
    const got = (await admin.client.get(`/api/auth/admin/get-user?id=${user.id}`)).body.user
    assert.deepEqual([got.role, got.id, got.banned, got.plan], ['user', user.id, false, 'gold'])
  })

  test('CVE-2026-55669: a custom property is in no token', async () => {
    const founder = await administratorWithOrganization(service())
    const colleague = await member(service(), founder)
    const admin = await administrator(service())
    const properties = { org_role: 'owner', is_staff: true, sub: 'usr_1', plan: 'gold' }
    const { status } = await admin.client.post(UPDATE, { userId: colleague.id, data: properties })
    assert.equal(status, 200)
    const { token } = (await colleague.client.get(`/api/token?org=${founder.organization.slug}`)).body
    const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
    assert.deepEqual(
      [claims.sub, claims.org_role, claims.is_staff, claims.plan],
      [colleague.id, 'member', false, undefined],
    )
  })

  test('Custom properties are limited in size, depth and names', async () => {
    const { change, user, admin } = await created({ plan: 'gold' })
    const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])
    const wrong = [
      { text: 'x'.repeat(8_192) },
      { text: 'é'.repeat(4_096) },
      { deep: deep(40) },
      { '': 1 },
      { ['x'.repeat(65)]: 1 },
      { 'a\nb': 1 },
    ]
    for (const data of wrong) {
      const { status, body } = await change(data)
      assert.deepEqual([status, body.code], [400, 'VALIDATION_ERROR'], JSON.stringify(body))
    }
    for (const name of ['constructor', 'toString', 'Role']) {
      const { status, body } = await change({ [name]: 1 })
      assert.deepEqual([status, body.code, body.field], [400, 'FIELD_NOT_ALLOWED', `data.${name}`])
    }
    assert.equal((await change({ text: 'x'.repeat(8_100) })).status, 200)
    assert.equal((await change({ more: 'x'.repeat(100) })).status, 400)
    assert.equal((await change({ text: null, more: 'x'.repeat(100) })).status, 200)
    const got = (await admin.client.get(`/api/auth/admin/get-user?id=${user.id}`)).body.user
    assert.deepEqual([got.plan, got.more.length, 'text' in got], ['gold', 100, false])
  })

  test('Concurrent changes of custom properties lose none', async () => {
    const { change, user, admin } = await created()
    const numbers = Array.from({ length: 8 }, (_, index) => index)
    await Promise.all(numbers.map((number) => change({ [`n${number}`]: number })))
    const got = (await admin.client.get(`/api/auth/admin/get-user?id=${user.id}`)).body.user
    assert.deepEqual(
      numbers.map((number) => got[`n${number}`]),
      numbers,
    )
  })

  test('The audit log has the names of custom properties and no values', async () => {
    const { change, user } = await created({ plan: 'a secret plan' })
    await change({ plan: null, level: 'a secret level', name: 'Nia Newer' })
    const events = await service()
      .context.database.selectFrom('auditEvents')
      .select(['action', 'details'])
      .where('subjectId', '=', user.id)
      .where('action', 'in', ['user.created', 'user.updated'])
      .orderBy('id')
      .execute()
    assert.deepEqual(
      events.map(({ action, details }) => [action, JSON.parse(details)]),
      [
        ['user.created', { role: 'user', origin: 'staff', emailVerified: true, fields: 'plan' }],
        ['user.updated', { fields: 'name, plan, level' }],
      ],
    )
  })

  test('The audit log has at most 1,000 characters of the names of custom properties', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `${'x'.repeat(58)}${index + 10}`)
    const properties = Object.fromEntries(names.map((name) => [name, 1]))
    const { change, user } = await created(properties)
    assert.equal((await change(properties)).status, 200)
    const events = await service()
      .context.database.selectFrom('auditEvents')
      .select('details')
      .where('subjectId', '=', user.id)
      .where('action', 'in', ['user.created', 'user.updated'])
      .execute()
    const limited = names.join(', ').slice(0, 1000)
    assert.deepEqual(
      events.map(({ details }) => JSON.parse(details).fields),
      [limited, limited],
    )
  })
})
