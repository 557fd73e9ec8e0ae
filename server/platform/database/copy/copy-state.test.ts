import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createInstallation } from '../../../../test/support/copies.ts'
import { migrate } from '../migrate.ts'
import { advance, beginCopy, getPosition } from './copy-state.ts'

for (const engine of ['sqlite', 'postgres'] as const)
  test(`Of two copies that advance from the same position on ${engine}, the second is refused and changes nothing`, async (t) => {
    const installation = await createInstallation(t)
    const { context, close } = installation.open(await installation.createDatabase(engine))
    t.after(close)
    const { database } = context
    await migrate(database)
    await beginCopy(database, { kind: 'move', source: 'sqlite:/here.db' })
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
