import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase, startService } from '../../../test/support/service.ts'
import { administratorWithOrganization, newMember } from '../../../test/support/users.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../platform/time/time-units.ts'
import { createCallerFinder } from './caller-cache.ts'

test('A cached session of a user whose ban has ended is refused when the clock goes back before the end of the ban', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { id, token } = await newMember(service)
  const { context } = service
  // By the clock of the service the ban has not ended, so that maintenance does not lift it.
  const banExpires = context.now() + DAY_MILLISECONDS
  await context.database.updateTable('users').set({ banned: 1, banExpires }).where('id', '=', id).execute()
  let now = banExpires
  const find = createCallerFinder({ ...context, now: () => now }, { watch: () => {}, catchUp: async () => {} })
  const found = await find(token)
  assert.ok(found)
  assert.equal(await find(token), found, 'the session is cached')
  now -= 1
  assert.equal(await find(token), undefined)
})

onEachDatabase('A cached session', (service) => {
  test('A session that is cached and used in its last hour is refused after 30 days', async () => {
    const { client } = await administratorWithOrganization(service())
    const getSession = async () => (await client.get('/api/auth/get-session')).body
    service().advance(DAY_MILLISECONDS / 2)
    for (let day = 1; day <= 29; day += 1) {
      service().advance(DAY_MILLISECONDS)
      assert.notEqual(await getSession(), null, `day ${day}`)
    }
    service().advance(11.5 * HOUR_MILLISECONDS)
    // The first use is written, which drops the cached session. The second one stores it in the cache again.
    for (let use = 1; use <= 2; use += 1) assert.notEqual(await getSession(), null)
    service().advance(0.75 * HOUR_MILLISECONDS)
    assert.equal(await getSession(), null)
  })
})
