import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { pino } from 'pino'
import { openMigrated } from '../../server/commands/prepare.ts'
import { OPERATOR } from '../../server/core/audit/actor.ts'
import { createChainer, linkNewEvents } from '../../server/core/audit/chain.ts'
import { type ChainEnd, readChainEnds } from '../../server/core/audit/chain-ends-store.ts'
import { purgeEvents } from '../../server/core/audit/purge-events.ts'
import { recordEvent } from '../../server/core/audit/record-event.ts'
import { verifyChain } from '../../server/core/audit/verify-chain.ts'
import { findNewestProblem } from '../../server/core/audit/verify-newest.ts'
import type { Context } from '../../server/core/context.ts'
import { rotateSecret } from '../../server/features/secret-rotation/rotate-secret.ts'
import { createSigningKey } from '../../server/features/tokens/create-signing-key.ts'
import { insertKey } from '../../server/features/tokens/store.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { isUnavailable } from '../../server/platform/database/unavailable.ts'
import { DAY_MILLISECONDS } from '../../server/platform/time/time-units.ts'
import { createMigratedDatabase } from '../support/migrated-database.ts'
import { query } from '../support/postgres.ts'
import { newSecret } from '../support/process.ts'
import type { Engine } from '../support/test-database.ts'
import { until } from '../support/until.ts'

const runtime = {
  now: Date.now,
  randomBytes: (count: number) => crypto.getRandomValues(Buffer.alloc(count)),
  log: pino({ level: 'silent' }),
}

const SECOND_ROW = /second head or a second start/
const INSERTED = /was inserted after the end of the chain/
const START_CHANGED = /^The start of the chain was changed/
const HEAD_CHANGED = /^The chain head was changed/

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`An invalid end of the audit chain (${engine})`, () => {
    for (const isPurged of [false, true]) {
      const chain = isPurged ? 'a purged chain' : 'a whole chain'
      test(`With an invalid end of ${chain}, rotateSecret changes nothing, no event is linked to an invalid head, and verifyChain names the end`, async (t) => {
        const { context, tamperings } = await beginRotation(t, engine, isPurged)
        for (const { statement, problem, isOfStart = false } of tamperings) {
          const ends = await readEndRows(context)
          await sql.raw(statement).execute(context.database)
          await addEvents(context, 2)
          const before = await readRows(context)
          await assert.rejects(
            rotateSecret(context),
            /^SecretError: The audit log was tampered with\. .*docs\/audit\.md\.$/,
          )
          assert.deepEqual(await readRows(context), before, statement)
          assert.equal((await linkNewEvents(context)).hasInvalidHead, !isOfStart, statement)
          if (isOfStart) assert.equal((await verdict(context)).unlinkedCount, 0, statement)
          else assert.deepEqual(await readRows(context), before, statement)
          assert.match((await verdict(context)).problem ?? '', problem, statement)
          assert.ok(await findNewestProblem(context), statement)
          await restoreEndRows(context, isOfStart ? { starts: ends.starts } : ends)
          await linkAll(context)
        }
        await rotateSecret(context)
        await linkAll(context)
      })
    }

    test('The statements of docs/audit.md begin a new chain while a service records and links events, and rotateSecret works with it', async (t) => {
      const { context, url } = await beginRotation(t, engine, true)
      await context.database.deleteFrom('auditHead').execute()
      await assert.rejects(rotateSecret(context), /tampered with/)
      const text = readFileSync(new URL('../../docs/audit.md', import.meta.url), 'utf8')
      const [ofPostgres = '', ofSqlite = ''] = [...text.matchAll(/```sql\n([^`]+)```/g)].map(([, block = '']) => block)
      // The first line is a command of the shell.
      const statements = engine === 'postgres' ? ofPostgres : ofSqlite.replace(/^\..*\n/, '')
      const service = createChainer(context)
      service.start()
      const recording = new AbortController()
      const recorded = (async () => {
        while (!recording.signal.aborted) {
          await addEvents(context, 1).catch((error) => assert.ok(isUnavailable(error), error))
          await pause(1)
        }
      })()
      await until(() => runStatements(engine, url, statements).then(() => true, isLockTimeout), 'the log is empty')
      await until(async () => (await readChainEnds(context.database)).head !== undefined, 'the new chain has a head')
      recording.abort()
      await recorded
      await service.stop()
      assert.ok((await linkAll(context)).head.sequence > 0)
      await rotateSecret(context)
      await linkAll(context)
    })

    test('rotateSecret works in a database without events, before the first link, and after all events were purged', async (t) => {
      const testDatabase = await createMigratedDatabase(engine)
      t.after(() => testDatabase.drop())
      let previous: string | undefined
      const openNext = async () => {
        const SECRET = newSecret()
        const environment = { DATABASE_URL: testDatabase.url, SECRET, AUDIT_RETENTION_DAYS: '30' }
        const both = { ...environment, ...(previous !== undefined && { PREVIOUS_SECRET: previous }) }
        const { context, close } = await openMigrated(readConfig(both), runtime)
        t.after(close)
        previous = SECRET
        return context
      }
      const first = await openNext()
      assert.equal(await findNewestProblem(first), undefined)
      const second = await openNext()
      await rotateSecret(second)
      await addEvents(second, 2)
      assert.equal((await readChainEnds(second.database)).head, undefined)
      assert.equal(await findNewestProblem(second), undefined)
      const third = await openNext()
      await rotateSecret(third)
      await linkAll(third)
      const later = { ...third, now: () => Date.now() + 40 * DAY_MILLISECONDS }
      await purgeEvents(later)
      const fourth = await openNext()
      const { head, start } = await readChainEnds(fourth.database)
      assert.equal(head?.sequence, start?.sequence)
      await rotateSecret(fourth)
      assert.equal((await linkAll(fourth)).head.sequence, Number(head?.sequence) + 2)
    })
  })
}

/** A database with a chain and two SECRETs, and what an attacker can do to the ends of the chain. */
async function beginRotation(t: TestContext, engine: Engine, isPurged: boolean) {
  const testDatabase = await createMigratedDatabase(engine)
  t.after(() => testDatabase.drop())
  const [old, SECRET] = [newSecret(), newSecret()]
  const environment = { DATABASE_URL: testDatabase.url, AUDIT_RETENTION_DAYS: '30' }
  const before = await openMigrated(readConfig({ ...environment, SECRET: old }), runtime)
  const later = { ...before.context, now: () => Date.now() + 40 * DAY_MILLISECONDS }
  await insertKey(before.context.database, await createSigningKey(before.context, { generation: 1, activeAt: 0 }))
  const heads: ChainEnd[] = []
  for (let part = 0; part < 2; part += 1) {
    await addEvents(before.context, 5)
    await linkAll(before.context)
    heads.push((await readChainEnds(before.context.database)).head!)
  }
  if (isPurged) await purgeEvents(later)
  await addEvents(later, 5)
  await linkAll(later)
  await before.close()
  const { context, close } = await openMigrated(readConfig({ ...environment, SECRET, PREVIOUS_SECRET: old }), runtime)
  t.after(close)
  const [setFarBack, setBack] = heads.map(
    ({ sequence, hash, mac }) => `update "auditHead" set sequence = ${sequence}, hash = '${hash}', mac = '${mac}'`,
  ) as [string, string]
  const tamperings = [
    { statement: 'delete from "auditHead"', problem: /^The chain head was removed/ },
    { statement: 'update "auditHead" set sequence = 0', problem: HEAD_CHANGED },
    { statement: `update "auditHead" set sequence = 0, hash = '', mac = ''`, problem: HEAD_CHANGED },
    { statement: 'update "auditHead" set sequence = 9223372036854775807', problem: HEAD_CHANGED },
    { statement: setBack, problem: INSERTED },
    { statement: setFarBack, problem: isPurged ? /^The chain head was set back/ : INSERTED },
    { statement: `insert into "auditHead" values (2, 0, '', '')`, problem: SECOND_ROW },
    { statement: 'update "auditHead" set id = 2', problem: SECOND_ROW },
    { statement: `insert into "auditStart" values (2, 0, '', '')`, problem: SECOND_ROW },
    ...(isPurged
      ? [
          { statement: 'delete from "auditStart"', problem: /^Event 1 was removed/, isOfStart: true },
          { statement: 'update "auditStart" set sequence = 0', problem: START_CHANGED, isOfStart: true },
        ]
      : [
          {
            statement: `insert into "auditStart" values (1, 0, '', '')`,
            problem: START_CHANGED,
            isOfStart: true,
          },
        ]),
  ]
  return { context, url: testDatabase.url, tamperings }
}

/** As an operator does, in a process of its own on SQLite. */
async function runStatements(engine: Engine, url: string, statements: string): Promise<void> {
  if (engine === 'postgres') return void (await query(url, statements))
  const script = `new (require('node:sqlite').DatabaseSync)(process.argv[1], { timeout: 5000 }).exec(process.argv[2])`
  await promisify(execFile)(process.execPath, ['-e', script, url.slice('sqlite:'.length), statements])
}

/** The documents say to repeat the statements then. */
function isLockTimeout(error: { code?: string }): false {
  assert.equal(error.code, '55P03')
  return false
}

async function addEvents(context: Context, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await recordEvent(context.database, context, OPERATOR, { action: 'user.updated', details: { index } })
}

function verdict(context: Context) {
  return verifyChain(context, undefined, () => {})
}

/** Links all events, and asserts that the chain is valid. */
async function linkAll(context: Context) {
  const { hasInvalidHead, count } = await linkNewEvents(context)
  assert.deepEqual([hasInvalidHead, count], [false, 0])
  const { problem, unlinkedCount, head } = await verdict(context)
  assert.deepEqual([problem, unlinkedCount], [undefined, 0])
  assert.equal(await findNewestProblem(context), undefined)
  return { head }
}

/** As text, because a sequence may be larger than a number of JavaScript. */
async function readRows({ database }: Context): Promise<unknown[]> {
  const tables = ['auditEvents', 'auditHead', 'auditStart', 'secretGenerations', 'signingKeys'] as const
  const rows = []
  for (const table of tables) {
    const columns = (await database.introspection.getTables()).find(({ name }) => name === table)?.columns ?? []
    const texts = columns.map(({ name }) => sql`cast(${sql.ref(name)} as text) as ${sql.ref(name)}`)
    rows.push((await sql`select ${sql.join(texts)} from ${sql.table(table)} order by 1, 2`.execute(database)).rows)
  }
  return rows
}

async function readEndRows({ database }: Context) {
  const heads = await database.selectFrom('auditHead').selectAll().execute()
  return { heads, starts: await database.selectFrom('auditStart').selectAll().execute() }
}

type EndRows = Awaited<ReturnType<typeof readEndRows>>

/** @param heads undefined leaves the head as it is */
async function restoreEndRows(
  { database }: Context,
  { heads, starts }: Partial<EndRows> & Pick<EndRows, 'starts'>,
): Promise<void> {
  if (heads) {
    await database.deleteFrom('auditHead').execute()
    await database.insertInto('auditHead').values(heads).execute()
  }
  await database.deleteFrom('auditStart').execute()
  if (starts.length > 0) await database.insertInto('auditStart').values(starts).execute()
}
