import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '../../server/platform/config/config.ts'
import { type OpenDatabase, openDatabase, type ProcessKind } from '../../server/platform/database/open.ts'
import { isUnavailable } from '../../server/platform/database/unavailable.ts'
import { type PostgresPair, startPostgresPair } from '../support/postgres-pair.ts'
import { newSecret } from '../support/process.ts'
import { until } from '../support/until.ts'

/** A standby that is promoted while the primary still runs and answers: nothing fenced it. */
describe('A former primary that still runs', () => {
  let pair: PostgresPair
  let running: OpenDatabase
  let command: OpenDatabase
  before(async () => {
    pair = await startPostgresPair()
    running = open()
    command = open('command')
    for (const opened of [running, command]) assert.equal(await portOf(opened), pair.primary.port)
    await pair.promote()
  })
  after(async () => {
    await command?.close()
    await running?.close()
    await pair?.stop()
  })

  function open(processKind: ProcessKind = 'service'): OpenDatabase {
    const { database } = readConfig({ DATABASE_URL: pair.url('postgres'), SECRET: newSecret() })
    return openDatabase(database, () => {}, processKind)
  }

  async function portOf({ database }: OpenDatabase): Promise<number> {
    const { rows } = await sql<{ port: number }>`select inet_server_port() as port`.execute(database)
    return rows[0]?.port ?? 0
  }

  const usesPromoted = async (opened: OpenDatabase) => (await portOf(opened)) === pair.standby.port

  test('A running process moves to the promoted standby without an error', async () => {
    await until(() => usesPromoted(running), 'the connections move')
  })

  test('A running command moves to the promoted standby without an error', async () => {
    await until(() => usesPromoted(command), 'the connections move')
  })

  test('A new process uses the promoted standby, although the former primary is first in the list', async (t) => {
    const opened = open()
    t.after(opened.close)
    assert.ok(await usesPromoted(opened))
  })

  test('A process that has used the promoted standby never goes back to the former primary', async () => {
    await until(() => usesPromoted(running), 'the connections move')
    await pair.standby.kill()
    // The query that finds out that the connections are lost gets this as its error.
    await assert.rejects(portOf(running), isUnavailable)
    for (let attempt = 0; attempt < 5; attempt += 1)
      await assert.rejects(
        portOf(running),
        (error: Error) => isUnavailable(error) && /is a former primary, with timeline 1 after 2/.test(error.message),
      )
    await pair.standby.restart()
    await until(() => usesPromoted(running).catch(() => false), 'the promoted standby serves again')
  })
})
