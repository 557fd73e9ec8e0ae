import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { pino } from 'pino'
import { openContext } from '../../server/core/context.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { expiredSessions } from './backlogs.ts'
import { openDatabases } from './databases.ts'
import { toScaleOptions } from './options.ts'
import { environmentOf } from './service.ts'

const USERS = 1_000
const OPTIONS = { users: String(USERS), engines: 'sqlite', out: '', 'warm-up': '0', minutes: '0', quick: true }

for (const engine of ['sqlite', 'postgres'])
  test(`A second run on the same database of ${engine} has as many expired sessions as the first`, async (t) => {
    const folder = createTemporaryFolder(t)
    const databases = await openDatabases(
      { workplace: { folder, owns: (child) => child }, scale: toScaleOptions(OPTIONS), progress: () => {} },
      engine,
    )
    t.after(() => databases.stop())
    const config = readConfig(environmentOf(await databases.find(USERS)))
    const { context, close } = openContext(config, { now: Date.now, randomBytes, log: pino({ level: 'silent' }) })
    t.after(close)
    for (const run of ['first', 'second']) {
      await expiredSessions.create(context, USERS)
      assert.equal(Number(await expiredSessions.countWaiting(context)), USERS, run)
      await context.database.deleteFrom('sessions').where('expiresAt', '<=', Date.now()).execute()
    }
  })
