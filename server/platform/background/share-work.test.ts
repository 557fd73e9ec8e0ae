import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { startService } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import { administratorWithOrganization } from '../../../test/support/users.ts'
import { shareWork } from './share-work.ts'

test('shareWork runs again after the work has ended or failed', async () => {
  let count = 0
  const work = shareWork(async () => {
    count += 1
    if (count === 2) throw new Error('failed')
    return count
  })
  assert.deepEqual(await Promise.all([work(), work()]), [1, 1])
  await Promise.all([assert.rejects(work(), /failed/), assert.rejects(work(), /failed/)])
  assert.equal(await work(), 3)
})

/** SQLite has no connection pool. */
for (const path of ['/api/auth/jwks', '/readyz']) {
  test(`A flood of requests for ${path} leaves PostgreSQL connections to other requests`, async (t) => {
    const service = await startService({ engine: 'postgres' })
    if (service.config.database.engine !== 'postgres') throw new Error('This is about PostgreSQL')
    const { client } = await administratorWithOrganization(service)
    const operator = new pg.Client(service.config.database.url)
    await operator.connect()
    t.after(async () => {
      await operator.end()
      await service.stop()
    })
    await operator.query('begin')
    await operator.query('lock table "signingKeys"')
    const waiting = Array.from({ length: 100 }, () => service.client().get(path))
    await until(async () => {
      const { rows } = await operator.query(
        'select 1 from pg_locks join pg_database on oid = database where datname = current_database() and not granted',
      )
      return rows.length > 0
    }, 'a read waits for the lock')
    const answer = await client.get('/api/auth/organization/list')
    await operator.query('commit')
    await Promise.all(waiting)
    assert.equal(answer.status, 200)
  })
}
