import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createInstallation } from '../../../../test/support/copies.ts'
import type { Engine } from '../../../../test/support/test-database.ts'
import { migrate } from '../migrate.ts'
import { advance, beginCopy, endCopy, getPosition, startOver } from './copy-state.ts'

async function openTarget(t: TestContext, engine: Engine) {
  const installation = await createInstallation(t)
  const { context, close } = installation.open(await installation.createDatabase(engine))
  t.after(close)
  await migrate(context.database)
  await beginCopy(context.database, { kind: 'move', source: 'sqlite:/here.db' })
  return context.database
}

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`Of two copies that advance from the same position on ${engine}, the second is refused and changes nothing`, async (t) => {
    const database = await openTarget(t, engine)
    const positions = [
      await getPosition(database),
      { step: 'users', lastKey: null },
      { step: 'users', lastKey: '["usr_a"]' },
      { step: 'users', lastKey: '["usr_b"]' },
    ]
    for (const [index, to] of positions.slice(1).entries()) {
      const from = positions[index] ?? to
      await advance(database, from, to)
      const again = advance(database, from, { step: 'sessions', lastKey: null })
      await assert.rejects(again, /Another process copies into this database/)
      assert.deepEqual(await getPosition(database), to)
    }
  })

  test(`A copy on ${engine} ends only at the position at which its rows were verified`, async (t) => {
    const database = await openTarget(t, engine)
    const verified = { step: 'users', lastKey: '["usr_a"]' }
    const start = await getPosition(database)
    await advance(database, start, verified)
    await startOver(database)
    await assert.rejects(endCopy(database, verified), /The target has changed since its rows were verified/)
    await advance(database, start, verified)
    await endCopy(database, verified)
    await assert.rejects(endCopy(database, verified), /Another process has finished this copy/)
  })
}
