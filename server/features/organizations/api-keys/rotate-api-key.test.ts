import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { administratorWithOrganization, member, type TestMember } from '../../../../test/support/users.ts'

const API_KEY = '/api/auth/api-key'
const DAY = 86_400_000

onEachDatabase('api-key/rotate', (service) => {
  async function create({ client, organization }: TestMember, more: object = {}) {
    const body = { name: 'Payroll', organizationId: organization.id, ...more }
    const answer = await client.post(`${API_KEY}/create`, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }

  async function isValid(key: string): Promise<boolean> {
    return (await service().client().post(`${API_KEY}/verify`, { key })).body.valid
  }

  test('api-key/rotate creates the same API key anew, and the old one works until the end of the overlap', async () => {
    const founder = await administratorWithOrganization(service())
    const old = await create(founder, { role: 'admin', expiresIn: 90 * 86_400, metadata: { team: 'pay' } })
    service().advance(10 * 60_000)
    const { status, body } = await founder.client.post(`${API_KEY}/rotate`, { keyId: old.id, overlapSeconds: 3600 })
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(
      [body.name, body.role, body.metadata, body.replacedKeyId],
      ['Payroll', 'admin', { team: 'pay' }, old.id],
    )
    const lifetime = Date.parse(body.expiresAt) - Date.parse(body.createdAt)
    assert.equal(lifetime, 90 * DAY)
    assert.notEqual(body.id, old.id)
    assert.deepEqual([await isValid(old.key), await isValid(body.key)], [true, true])
    const list = await founder.client.get(`${API_KEY}/list?organizationId=${founder.organization.id}`)
    const isRotated = ({ id, rotatedAt }: { id: string; rotatedAt: string | null }) => [id, rotatedAt !== null]
    assert.deepEqual(Object.fromEntries(list.body.apiKeys.map(isRotated)), { [body.id]: false, [old.id]: true })
    service().advance(3600_000)
    assert.deepEqual([await isValid(old.key), await isValid(body.key)], [false, true])
    const { details } = await service()
      .context.database.selectFrom('auditEvents')
      .select('details')
      .where('action', '=', 'api-key.rotated')
      .where('subjectId', '=', body.id)
      .executeTakeFirstOrThrow()
    const expected = { name: 'Payroll', role: 'admin', replacedKeyId: old.id, overlapSeconds: 3600 }
    assert.deepEqual(JSON.parse(details), expected)
  })

  test('api-key/rotate gives the new API key the lifetime that was set last', async () => {
    const founder = await administratorWithOrganization(service())
    const old = await create(founder)
    service().advance(3 * 60_000)
    await founder.client.post(`${API_KEY}/update`, { keyId: old.id, expiresIn: 30 * 86_400 })
    service().advance(2 * 60_000)
    const { body } = await founder.client.post(`${API_KEY}/rotate`, { keyId: old.id })
    assert.equal(Date.parse(body.expiresAt) - Date.parse(body.createdAt), 30 * DAY)
    const again = await founder.client.post(`${API_KEY}/rotate`, { keyId: body.id })
    assert.equal(Date.parse(again.body.expiresAt) - Date.parse(again.body.createdAt), 30 * DAY)
    const { database } = service().context
    await database.updateTable('apiKeys').set({ lifetime: null }).where('id', '=', again.body.id).execute()
    const older = await founder.client.post(`${API_KEY}/rotate`, { keyId: again.body.id })
    assert.equal(Date.parse(older.body.expiresAt) - Date.parse(older.body.createdAt), 30 * DAY)
  })

  test('api-key/rotate has an overlap of a day by default, never extends the old API key, and can end it now', async () => {
    const founder = await administratorWithOrganization(service())
    const expiryOf = async (id: string) => (await founder.client.get(`${API_KEY}/get?id=${id}`)).body.expiresAt
    const [endless, short, leaked] = [
      await create(founder),
      await create(founder, { expiresIn: 60 }),
      await create(founder),
    ]
    const { body } = await founder.client.post(`${API_KEY}/rotate`, { keyId: endless.id })
    assert.equal(body.expiresAt, null)
    const left = Date.parse(await expiryOf(endless.id)) - service().context.now()
    assert.ok(left > DAY - 60_000 && left <= DAY)
    await founder.client.post(`${API_KEY}/rotate`, { keyId: short.id })
    assert.equal(await expiryOf(short.id), short.expiresAt)
    await founder.client.post(`${API_KEY}/rotate`, { keyId: leaked.id, overlapSeconds: 0 })
    assert.equal(await isValid(leaked.key), false)
    for (const overlapSeconds of [-1, 604_801, 1.5]) {
      const refused = await founder.client.post(`${API_KEY}/rotate`, { keyId: endless.id, overlapSeconds })
      assert.deepEqual([refused.status, refused.body.field], [400, 'overlapSeconds'])
    }
  })

  test('api-key/rotate replaces an API key once, also in concurrent requests, until its expiry is set anew', async () => {
    const founder = await administratorWithOrganization(service())
    const rotate = (keyId: string) => founder.client.post(`${API_KEY}/rotate`, { keyId, overlapSeconds: 0 })
    const old = await create(founder)
    const twice = await Promise.all([rotate(old.id), rotate(old.id)])
    const refused = twice.find(({ status }) => status !== 200)
    assert.deepEqual([refused?.status, refused?.body.code], [400, 'KEY_ALREADY_ROTATED'])
    const rotated = twice.find(({ status }) => status === 200)
    assert.deepEqual([rotated?.body.expiresAt, await isValid(rotated?.body.key)], [null, true])
    assert.equal((await rotate(rotated?.body.id)).status, 200, 'the new API key has its own rotation')

    await founder.client.post(`${API_KEY}/update`, { keyId: old.id, expiresIn: null })
    const again = await rotate(old.id)
    assert.deepEqual([again.status, again.body.expiresAt], [200, null])
  })

  test('api-key/rotate of a disabled API key of another member creates an enabled one of the caller', async () => {
    const founder = await administratorWithOrganization(service())
    const admin = await member(service(), founder, 'admin')
    const old = await create(founder)
    await founder.client.post(`${API_KEY}/update`, { keyId: old.id, enabled: false })
    const { body } = await admin.client.post(`${API_KEY}/rotate`, { keyId: old.id })
    assert.deepEqual([await isValid(old.key), await isValid(body.key)], [false, true])
    const list = await founder.client.get(`${API_KEY}/list?organizationId=${founder.organization.id}`)
    const creatorOf = ({ id, createdBy }: { id: string; createdBy: { userId: string } }) => [id, createdBy.userId]
    assert.deepEqual(Object.fromEntries(list.body.apiKeys.map(creatorOf)), {
      [old.id]: founder.id,
      [body.id]: admin.id,
    })
  })

  test('api-key/rotate refuses admins an API key with the role admin, and members every API key', async () => {
    const founder = await administratorWithOrganization(service())
    const key = await create(founder, { role: 'admin' })
    const admin = await member(service(), founder, 'admin')
    const hire = await member(service(), founder)
    const codeFor = async ({ client }: TestMember) =>
      (await client.post(`${API_KEY}/rotate`, { keyId: key.id })).body.code
    assert.equal(await codeFor(admin), 'INSUFFICIENT_API_KEY_PERMISSIONS')
    assert.equal(await codeFor(hire), 'FORBIDDEN')
    assert.equal(await isValid(key.key), true)
  })
})
