import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type KyselyPlugin, sql } from 'kysely'
import pg from 'pg'
import { createInstallation } from '../../../test/support/copies.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { backupCommand } from '../../commands/backup.ts'
import { migrateCommand } from '../../commands/migrate.ts'
import { moveCommand } from '../../commands/move.ts'
import { restoreCommand } from '../../commands/restore.ts'
import type { Context } from '../../core/context.ts'
import { moveDatabase } from './move-database.ts'
import { restoreDatabase } from './restore-database.ts'

const REFUSED = /Processes of Accounts use the target: \d+ connections\. Stop every process/

for (const name of ['move', 'restore'] as const)
  test(`A ${name} refuses a PostgreSQL target whose tables were dropped under a running service`, async (t) => {
    const { installation, source, target, file } = await prepare(t)
    const { context } = await installation.start(target)
    await sql`drop schema public cascade`.execute(context.database)
    await sql`create schema public`.execute(context.database)
    const running =
      name === 'move'
        ? installation.run(source, moveCommand, '--to', target)
        : installation.run(target, restoreCommand, file)
    await assert.rejects(running, REFUSED)
    assert.deepEqual(await context.database.introspection.getTables(), [])
  })

test('A restore is refused at its end when a service has connected to its PostgreSQL target', async (t) => {
  const { installation, target, file } = await prepare(t)
  const { context, close } = installation.open(target)
  const service = connectDuringCopy(t, target, context)
  await assert.rejects(restoreDatabase(service.context, file, service.onStage), REFUSED)
  const events = await context.database.selectFrom('auditEvents').select('action').execute()
  assert.ok(!events.some(({ action }) => action === 'database.restored'))
  await close()
  await service.end()
  assert.match(await installation.run(target, restoreCommand, file), /every row is verified/)
})

test('A move is refused at its end when a service has connected to its PostgreSQL target', async (t) => {
  const { installation, source, target } = await prepare(t)
  const [from, to] = [installation.open(source), installation.open(target)]
  const service = connectDuringCopy(t, target, to.context)
  await assert.rejects(moveDatabase(from.context, service.context, service.onStage), REFUSED)
  await from.close()
  await to.close()
  await service.end()
  assert.match(await installation.run(source, moveCommand, '--to', target), /every row is verified/)
})

test('readyz returns 503 in a running process while its database is the unfinished target of a restore', async (t) => {
  const installation = await createInstallation(t)
  const service = await installation.start(await installation.createDatabase('postgres'))
  const { database } = service.context
  const restore = { id: 1, kind: 'restore', source: '/backup.db', step: null, lastKey: null } as const
  await database.insertInto('copyState').values(restore).execute()
  const { status, body } = await service.client().get('/readyz')
  assert.deepEqual([status, body.code], [503, 'SERVICE_UNAVAILABLE'])
  assert.match(body.message, /unfinished target/)
  await database.deleteFrom('copyState').execute()
  assert.equal((await service.client().get('/readyz')).status, 200)
})

async function prepare(t: TestContext) {
  const folder = createTemporaryFolder(t)
  const file = join(folder, 'backup.db')
  const installation = await createInstallation(t)
  const [source, target] = [await installation.createDatabase('sqlite'), await installation.createDatabase('postgres')]
  await installation.run(source, migrateCommand)
  await installation.run(source, backupCommand, '--to', file)
  return { installation, source, target, file }
}

/**
 * Connects as a service of any version does, when the copy reports its first stage. The copy waits for this connection.
 */
function connectDuringCopy(t: TestContext, connectionString: string, context: Context) {
  const client = new pg.Client({ connectionString, application_name: 'accounts' })
  t.after(() => client.end())
  let connected: Promise<unknown> | undefined
  const waitForService: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await connected
      return result
    },
  }
  return {
    context: { ...context, database: context.database.withPlugin(waitForService) },
    onStage() {
      connected ??= client.connect()
    },
    end: () => client.end(),
  }
}
