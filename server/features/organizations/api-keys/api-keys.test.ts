import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { sortByLanguage } from '../../../../test/support/sort-by-language.ts'
import {
  administrator,
  administratorWithOrganization,
  member,
  type TestMember,
} from '../../../../test/support/users.ts'

const API_KEY = '/api/auth/api-key'

onEachDatabase('API keys', (service) => {
  const createKey = async ({ client, organization }: TestMember, input: Record<string, unknown> = {}) => {
    const { body } = await client.post(`${API_KEY}/create`, {
      name: 'Export',
      organizationId: organization.id,
      ...input,
    })
    return body
  }

  test('An API key is in the response of create only; its stored hash authenticates nothing', async () => {
    const founder = await administratorWithOrganization(service())
    const created = await createKey(founder)
    assert.match(created.key, /^acc_[0-9a-v]{26}_[0-9a-v]{52}_[0-9a-f]{8}$/)
    const { database } = service().context
    const row = await database.selectFrom('apiKeys').selectAll().where('id', '=', created.id).executeTakeFirstOrThrow()
    assert.ok(!JSON.stringify(row).includes(created.key.split('_')[2]))
    for (const path of [`get?id=${created.id}`, 'list']) {
      assert.ok(
        !JSON.stringify((await founder.client.get(`${API_KEY}/${path}`)).body).includes(created.key.split('_')[2]),
      )
    }
    for (const stolen of [row.keyHash, row.id, created.start, `${created.start}_${row.keyHash}`]) {
      assert.equal((await founder.client.post(`${API_KEY}/verify`, { key: stolen })).body.valid, false)
    }
  })

  test('create API key sets the role member by default, admin for owners, and never owner', async () => {
    const founder = await administratorWithOrganization(service())
    const admin = await member(service(), founder, 'admin')
    assert.equal((await createKey(founder)).role, 'member')
    const strong = await createKey(founder, { role: 'admin' })
    assert.equal(strong.role, 'admin')
    assert.equal((await createKey(founder, { role: 'owner' })).field, 'role')
    assert.equal((await createKey(admin, { role: 'admin' })).code, 'INSUFFICIENT_API_KEY_PERMISSIONS')
    const weak = await createKey(admin)
    const raised = await admin.client.post(`${API_KEY}/update`, { keyId: weak.id, role: 'admin' })
    assert.deepEqual([raised.status, raised.body.code], [403, 'INSUFFICIENT_API_KEY_PERMISSIONS'])
    for (const change of [{ enabled: true }, { role: 'member' }]) {
      const refused = await admin.client.post(`${API_KEY}/update`, { keyId: strong.id, ...change })
      assert.equal(refused.body.code, 'INSUFFICIENT_API_KEY_PERMISSIONS')
    }
    assert.equal((await admin.client.post(`${API_KEY}/update`, { keyId: weak.id, enabled: false })).body.enabled, false)
    assert.equal((await admin.client.post(`${API_KEY}/delete`, { keyId: strong.id })).status, 200)
  })

  test('API key routes refuse members, stale sessions and impersonators', async () => {
    const founder = await administratorWithOrganization(service())
    const plain = await member(service(), founder)
    const created = await createKey(founder)
    assert.equal((await createKey(plain)).code, 'FORBIDDEN')
    for (const path of [`get?id=${created.id}`, 'list']) {
      assert.equal((await plain.client.get(`${API_KEY}/${path}`)).body.code, 'FORBIDDEN')
    }
    const changes = [
      ['create', { name: 'Other', organizationId: founder.organization.id }],
      ['update', { keyId: created.id, enabled: false }],
      ['delete', { keyId: created.id }],
    ] as const
    const refusals = async ({ client }: TestMember) =>
      Promise.all(changes.map(async ([path, body]) => (await client.post(`${API_KEY}/${path}`, body)).body.code))
    const partner = await member(service(), founder, 'owner')
    const { client } = await administrator(service())
    const acting = await client.post('/api/auth/admin/impersonate-user', { userId: partner.id })
    assert.equal(acting.status, 200)
    assert.deepEqual(await refusals({ ...partner, client }), Array(3).fill('IMPERSONATION_NOT_ALLOWED'))
    const { database } = service().context
    await database.updateTable('sessions').where('userId', '=', partner.id).set({ authenticatedAt: 0 }).execute()
    assert.deepEqual(await refusals(partner), Array(3).fill('SESSION_NOT_FRESH'))
    assert.equal((await founder.client.get(`${API_KEY}/get?id=${created.id}`)).body.enabled, true)
  })

  test('list API keys returns a sorted page of one organization and refuses unknown columns', async () => {
    const founder = await administratorWithOrganization(service())
    for (const name of ['b', 'c', 'a']) await createKey(founder, { name })
    const { body } = await founder.client.get(`${API_KEY}/list?sortBy=name&sortDirection=desc&limit=2&offset=1`)
    assert.deepEqual([body.total, body.limit, body.offset], [3, 2, 1])
    assert.deepEqual(
      body.apiKeys.map(({ name }: { name: string }) => name),
      ['b', 'a'],
    )
    for (const query of ['sortBy=keyHash', 'sortDirection=up', 'limit=0', 'offset=x']) {
      const answer = await founder.client.get(`${API_KEY}/list?${query}`)
      assert.deepEqual([answer.status, answer.body.field], [400, query.split('=')[0]])
    }
  })

  test('list API keys sorts names by code point, and API keys without expiry after the others', async () => {
    const founder = await administratorWithOrganization(service())
    await sortByLanguage(service(), 'apiKeys', 'name')
    const names = ['ärger', 'b', 'Zoo', 'a', '_x', 'B']
    for (const [index, name] of names.entries())
      await createKey(founder, { name, expiresIn: index < 4 ? 3_600 * (index + 1) : null })
    const list = async (query: string) =>
      (await founder.client.get(`${API_KEY}/list?${query}`)).body.apiKeys.map(({ name }: { name: string }) => name)
    const byName = ['B', 'Zoo', '_x', 'a', 'b', 'ärger']
    assert.deepEqual(await list('sortBy=name'), byName)
    assert.deepEqual(await list('sortBy=name&sortDirection=desc'), byName.toReversed())
    assert.deepEqual(await list('sortBy=expiresAt'), names)
    assert.deepEqual(await list('sortBy=expiresAt&sortDirection=desc'), names.toReversed())
  })

  test('create and update API key record no values of metadata, which may be secrets', async () => {
    const founder = await administratorWithOrganization(service())
    const { id } = await createKey(founder, { metadata: { password: 'one' } })
    await founder.client.post(`${API_KEY}/update`, { keyId: id, metadata: { password: 'two' } })
    const events = service().context.database.selectFrom('auditEvents').select('details').where('subjectId', '=', id)
    const details = (await events.orderBy('action').execute()).map((event) => JSON.parse(event.details))
    assert.deepEqual(details, [{ name: 'Export', role: 'member' }, { metadata: 'changed' }])
  })

  test('create and update API key name the invalid field and change nothing', async () => {
    const founder = await administratorWithOrganization(service())
    const created = await createKey(founder)
    const bad: [Record<string, unknown>, string][] = [
      [{ name: '' }, 'name'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ name: 'a\u0000b' }, 'name'],
      [{ expiresIn: 59 }, 'expiresIn'],
      [{ expiresIn: 1.5e6 + 0.5 }, 'expiresIn'],
      [{ expiresIn: 1e12 }, 'expiresIn'],
      [{ expiresIn: '3600' }, 'expiresIn'],
      [{ role: 'Admin' }, 'role'],
      [{ userId: founder.id }, 'userId'],
      [{ key: 'acc_mine' }, 'key'],
      [{ rateLimitEnabled: true }, 'rateLimitEnabled'],
    ]
    for (const [input, field] of bad) {
      assert.equal((await createKey(founder, input)).field, field)
      const changed = await founder.client.post(`${API_KEY}/update`, { keyId: created.id, ...input })
      assert.deepEqual([changed.status, changed.body.field], [400, field])
    }
    const moved = await founder.client.post(`${API_KEY}/update`, {
      keyId: created.id,
      organizationId: founder.organization.id,
    })
    assert.equal(moved.body.field, 'organizationId')
    assert.equal((await founder.client.get(`${API_KEY}/list`)).body.total, 1)
  })

  test('verify API key needs no session and updates nothing', async () => {
    const founder = await administratorWithOrganization(service())
    const created = await createKey(founder, { expiresIn: 3600 })
    const verify = async (key: string) => (await service().client().post(`${API_KEY}/verify`, { key })).body
    const good = await verify(created.key)
    assert.deepEqual(
      [good.valid, good.error, good.key.id, good.key.organizationId, good.key.organizationSlug, good.key.role],
      [true, null, created.id, founder.organization.id, founder.organization.slug, 'member'],
    )
    assert.equal(good.key.key, undefined)
    assert.equal((await founder.client.get(`${API_KEY}/get?id=${created.id}`)).body.lastRequest, null)

    const [prefix, id, secret, checksum] = created.key.split('_')
    const other = (await createKey(founder)).key.split('_')
    const wrong = [
      `${prefix}_${id}_${secret}_00000000`,
      `${prefix}_${id}_${other[2]}_${checksum}`,
      `${prefix}_${other[1]}_${secret}_${checksum}`,
      created.key.toUpperCase(),
      created.key.slice(1),
      `${created.key} `,
      'x',
    ]
    for (const key of wrong) {
      assert.deepEqual(await verify(key), {
        valid: false,
        error: { code: 'INVALID_API_KEY', message: (await verify('x')).error.message },
        key: null,
      })
    }
    await founder.client.post(`${API_KEY}/update`, { keyId: created.id, enabled: false })
    assert.equal((await verify(created.key)).error.code, 'KEY_DISABLED')
    await founder.client.post(`${API_KEY}/update`, { keyId: created.id, enabled: true })
    service().advance(3600_000)
    assert.equal((await verify(created.key)).error.code, 'KEY_EXPIRED')
  })
})
