import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Driver, sql } from 'kysely'
import { onEachDatabase } from '../../../test/support/service.ts'
import { withReaderTurns } from './reader-turns.ts'
import { newTimeBudget, withTimeBudget } from './time-budget.ts'

const SLOW = {
  sqlite: sql`with recursive number (n) as (select 1 union all select n + 1 from number where n < 100000)
    select count(*) from number`,
  postgres: sql`select pg_sleep(0.1)`,
}

onEachDatabase('Long reads', (service, engine) => {
  /** Reads within a request of the user, and adds the name to `done` at the end. */
  const read = async (user: string, done: string[], statement = SLOW[engine]) => {
    const budget = { ...newTimeBudget(20_000), longReader: user }
    await withTimeBudget(budget, () => statement.execute(service().context.slowReads)).catch(() => done.push('failed'))
    done.push(user)
  }

  test('The long reads of a user run one after the other, and that of another user after the first of them', async () => {
    const done: string[] = []
    const reads = Array.from({ length: 5 }, () => read('ada', done))
    await Promise.all([...reads, read('bob', done)])
    assert.ok(done.indexOf('bob') <= 1, done.join())
    assert.equal(done.length, 6)
  })

  test('A long read that fails ends its turn', async () => {
    const done: string[] = []
    await Promise.all([read('ada', done, sql`select * from "noTable"`), read('ada', done)])
    assert.deepEqual(done, ['failed', 'ada', 'ada'])
  })
})

test('A long read that gets no connection ends its turn', async () => {
  const acquireConnection = () => Promise.reject(new Error('no connection'))
  const driver = withReaderTurns({ acquireConnection, releaseConnection: async () => {} } as object as Driver)
  const acquire = () => withTimeBudget({ ...newTimeBudget(), longReader: 'ada' }, () => driver.acquireConnection())
  for (let count = 0; count < 2; count += 1) await assert.rejects(acquire, { message: 'no connection' })
})
