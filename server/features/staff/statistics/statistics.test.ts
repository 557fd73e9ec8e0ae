import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertTestPasskeys } from '../../../../test/support/passkeys.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { administrator, administratorWithOrganization } from '../../../../test/support/users.ts'
import { addCounts, type Count, hourOf } from '../../../platform/statistics/store.ts'

const STATISTICS = '/api/auth/admin/statistics'
const HOUR = 3_600_000
const DAY = 24 * HOUR

interface Series {
  name: string
  detail: string
  counts: number[]
  total: number
  previousTotal: number
}

onEachDatabase('admin/statistics', (service) => {
  const get = async (query: Record<string, string> = {}) =>
    (await administrator(service())).client.get(`${STATISTICS}?${new URLSearchParams(query)}`)

  test('Statistics returns the sums of each bucket, their total, and the total of the time before', async () => {
    const start = Date.parse('2031-03-01T00:00:00Z')
    const at = (time: number, count: number, detail = 'password'): Count => ({
      name: 'sign-in',
      hour: hourOf(time),
      detail,
      count,
    })
    await addCounts(service().context.database, [
      at(start - 1, 4),
      at(start, 1),
      at(start + 2 * HOUR, 2),
      at(start + DAY, 10),
      at(start + DAY, 13, 'passkey'),
      at(start + 2 * DAY, 100),
    ])
    const { status, body } = await get({ from: '2031-03-01', to: '2031-03-03' })
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual([body.interval, body.buckets], ['day', ['2031-03-01T00:00:00.000Z', '2031-03-02T00:00:00.000Z']])
    const common = { name: 'sign-in' }
    assert.deepEqual(body.series, [
      { ...common, detail: 'passkey', counts: [0, 13], total: 13, previousTotal: 0 },
      { ...common, detail: 'password', counts: [3, 10], total: 13, previousTotal: 4 },
    ])
    assert.deepEqual([body.passkeyShare, body.medianEmailDelaySeconds], [0.5, null])

    const hours = await get({ from: '2031-03-01T00:30:00Z', to: '2031-03-01T02:10:00Z', interval: 'hour' })
    assert.deepEqual(hours.body.buckets.length, 3)
    const [series] = hours.body.series as Series[]
    assert.deepEqual([series?.counts, series?.total, series?.previousTotal], [[1, 0, 2], 3, 4])
  })

  test('Statistics counts tokens in total and by organization, without a series for each organization', async () => {
    const { client, organization } = await administratorWithOrganization(service())
    const readTokens = async () => {
      await service().context.pendingCounts.flush()
      const { body } = await get()
      const series = (body.series as Series[]).filter(({ name }) => name.startsWith('token'))
      return { series, topOrganizations: body.topOrganizations as object[] }
    }
    const before = await readTokens()
    for (let count = 0; count < 3; count += 1)
      assert.equal((await client.get(`/api/token?org=${organization.slug}`)).status, 200)
    const { series, topOrganizations } = await readTokens()
    assert.deepEqual(
      series.map(({ name, detail, total }) => [name, detail, total]),
      [['token', '', (before.series[0]?.total ?? 0) + 3]],
    )
    const { id, name, slug } = organization
    assert.deepEqual(new Set(topOrganizations), new Set([...before.topOrganizations, { id, name, slug, tokens: 3 }]))
  })

  test('Statistics counts users, banned users and users with a passkey', async () => {
    const before = (await get()).body.users
    const { client, id } = await administrator(service())
    const { body } = await client.post('/api/auth/admin/create-user', { email: 'b@example.com', name: 'Nia New' })
    await client.post('/api/auth/admin/ban-user', { userId: body.user.id, banExpiresIn: 60 })
    await insertTestPasskeys(service(), id, 2)
    const { total, banned, withPasskey } = before
    assert.deepEqual((await get()).body.users, {
      total: total + 1,
      banned: banned + 1,
      withPasskey: withPasskey + 1,
    })
    service().advance(61_000)
    assert.equal((await get()).body.users.banned, banned)
  })

  test('Statistics refuses more than 400 days, more than 800 buckets, an end before the start and times before 1970', async () => {
    const refusal = async (query: Record<string, string>) => {
      const { status, body } = await get(query)
      return [status, body.code, body.field]
    }
    const invalid = (field: string) => [400, 'VALIDATION_ERROR', field]
    assert.deepEqual(await refusal({ from: '2030', to: '2031-02-06' }), invalid('from'))
    assert.deepEqual(await refusal({ from: '2030-01-01', to: '2030-02-04', interval: 'hour' }), invalid('from'))
    assert.deepEqual(await refusal({ from: '2031', to: '2030' }), invalid('from'))
    assert.deepEqual(await refusal({ from: '-1' }), invalid('from'))
    assert.deepEqual(await refusal({ from: '-1', to: '1970-01-02' }), invalid('from'))
    assert.deepEqual(await refusal({ to: 'tomorrow' }), invalid('to'))
    assert.deepEqual(await refusal({ to: '8640000000000000' }), invalid('to'))
    assert.deepEqual(await refusal({ interval: 'week' }), invalid('interval'))
    assert.equal((await get({ from: '2030', to: '2031-02-05' })).status, 200)
  })
})
