import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { pino } from 'pino'
import { secondProcess } from '../../../test/support/second-process.ts'
import { onEachDatabase, type Service } from '../../../test/support/service.ts'
import { insertSecretGeneration } from '../secret-generations/store.ts'
import { OPERATOR } from './actor.ts'
import { linkNewEvents } from './chain.ts'
import type { ChainPosition } from './chain-ends-store.ts'
import { purgeEvents } from './purge-events.ts'
import { recordEvent } from './record-event.ts'
import { type AuditVerdict, verifyChain } from './verify-chain.ts'
import { findNewestProblem } from './verify-newest.ts'

const DAY = 86_400_000
const RETENTION_DAYS = 30

onEachDatabase(
  'Purging the audit log',
  (service) => {
    const getSecond = secondProcess(service)
    /** Every test begins with a chain whose start was purged. */
    beforeEach(async () => {
      await recordMany(service(), 1)
      service().advance(40 * DAY)
      await purgeEvents(service().context)
      service().advance(2 * DAY)
    })

    test('purgeEvents deletes events older than AUDIT_RETENTION_DAYS, records the purge, and the rest verifies', async () => {
      await recordMany(service(), 1_200)
      const { head: early, purgedUpTo: start } = await verify(service())
      service().advance(20 * DAY)
      await recordMany(service(), 5)
      await purgeEvents(service().context)
      assert.equal((await verify(service())).purgedUpTo, start)

      service().advance(12 * DAY)
      await purgeEvents(service().context)
      const { problem, purgedUpTo, head } = await verify(service())
      assert.deepEqual([problem, purgedUpTo], [undefined, early.sequence])
      assert.ok((await countEvents(service())) < 10)
      const { now } = service().context
      const before = new Date((Math.floor(now() / DAY) - RETENTION_DAYS) * DAY).toISOString()
      assert.deepEqual(await listPurges(service()), [{ before }])

      assert.equal((await verify(service(), early)).problem, undefined)
      const rewritten = { sequence: early.sequence, hash: head.hash }
      assert.match((await verify(service(), rewritten)).problem ?? '', /not the one whose hash you stored/)
    })

    test('A stop ends a purge after 50 events, and it is recorded', async () => {
      await recordMany(service(), 120)
      const before = await verify(service())
      service().advance(40 * DAY)
      const stopping = new AbortController()
      const purging = purgeEvents(service().context, stopping.signal)
      stopping.abort()
      await purging
      const { problem, purgedUpTo } = await verify(service())
      assert.deepEqual([problem, purgedUpTo], [undefined, before.purgedUpTo + 50])
      assert.equal((await listPurges(service())).length, 1)
      await purgeEvents(service().context)
    })

    test('purgeEvents keeps the first event of the oldest day, and purges the last event before it', async () => {
      await purgeEvents(service().context)
      const { context } = service()
      const at = (time: number): Service => ({ ...service(), context: { ...context, now: () => time } })
      const day = (Math.floor(context.now() / DAY) + 1) * DAY
      await recordMany(at(day - 1), 1)
      await recordMany(at(day), 1)
      const { head } = await verify(service())
      service().advance(day + RETENTION_DAYS * DAY - context.now())
      await purgeEvents(service().context)
      const { problem, purgedUpTo } = await verify(service())
      assert.deepEqual([problem, purgedUpTo], [undefined, head.sequence - 1])
    })

    test('Concurrent processes purge each event once, and record it once', async () => {
      await recordMany(service(), 40)
      service().advance(40 * DAY)
      const second = await getSecond()
      const later = { ...second.context, now: service().context.now }
      const { context } = service()
      await Promise.all([purgeEvents(context), purgeEvents(later), purgeEvents(context)])
      assert.equal((await verify(service())).problem, undefined)
      assert.equal((await listPurges(service())).length, 1)
    })

    test('verifyChain finds a deletion by an attacker, a moved start and a restored event before it', async () => {
      const { database } = service().context
      await recordMany(service(), 20)
      const { purgedUpTo } = await verify(service())
      const [removed] = await database
        .deleteFrom('auditEvents')
        .where('sequence', '=', purgedUpTo + 1)
        .returningAll()
        .execute()
      assert.match((await verify(service())).problem ?? '', new RegExp(`Event ${purgedUpTo + 1} was removed`))
      const start = await database.selectFrom('auditStart').selectAll().executeTakeFirstOrThrow()
      const moved = { sequence: purgedUpTo + 1, hash: removed?.hash ?? '' }
      await database.updateTable('auditStart').set(moved).execute()
      assert.match((await verify(service())).problem ?? '', /start of the chain was changed/)
      await database.updateTable('auditStart').set(start).execute()
      if (removed) await database.insertInto('auditEvents').values(removed).execute()
      assert.equal((await verify(service())).problem, undefined)

      await database
        .updateTable('auditEvents')
        .set({ sequence: 1 })
        .where('sequence', '=', purgedUpTo + 1)
        .execute()
      assert.match((await verify(service())).problem ?? '', /was inserted: no place/)
      await database
        .updateTable('auditEvents')
        .set({ sequence: purgedUpTo + 1 })
        .where('sequence', '=', 1)
        .execute()
      await database.deleteFrom('auditStart').execute()
      assert.match((await verify(service())).problem ?? '', /^Event 1 was removed/)
      await database.insertInto('auditStart').values(start).execute()
      assert.equal((await verify(service())).problem, undefined)
    })

    test('A purge between two reads of a verification is no tampering, for all events and for the newest', async () => {
      const { context } = service()
      const findAnyProblem = async (racing: Service['context']) => (await verify({ context: racing })).problem
      for (const { findProblem, moments } of [
        { findProblem: findNewestProblem, moments: [1, 2] },
        { findProblem: findAnyProblem, moments: [1, 2, 3] },
      ])
        for (const moment of moments) {
          await recordMany(service(), 10)
          service().advance(40 * DAY)
          await recordMany(service(), 1)
          const { database, countReads } = whileReading(context, moment, () => purgeEvents(context))
          assert.equal(await findProblem({ ...context, database }), undefined, `after ${moment} reads`)
          assert.ok(countReads() > moment)
        }
    })

    test('purgeEvents takes events that another process purges concurrently for no tampering', async () => {
      const { context } = service()
      for (const moment of [1, 2, 3]) {
        await recordMany(service(), 120)
        service().advance(40 * DAY)
        await recordMany(service(), 1)
        const purgeBatch = async () => {
          const stopping = new AbortController()
          const purging = purgeEvents(context, stopping.signal)
          stopping.abort()
          await purging
        }
        const lines: string[] = []
        const log = pino({ level: 'error' }, { write: (line) => lines.push(line) })
        const { database, countReads } = whileReading(context, moment, purgeBatch)
        await purgeEvents({ ...context, log, database })
        assert.deepEqual(lines, [], `after ${moment} reads`)
        assert.ok(countReads() > moment)
        assert.equal((await verify(service())).problem, undefined)
      }
    })

    test('purgeEvents keeps events of a clock that was ahead until later events are old, and then purges them', async () => {
      await purgeEvents(service().context)
      service().advance(365 * DAY)
      await recordMany(service(), 120)
      const { head: ahead } = await verify(service())
      service().advance(-365 * DAY)
      await purgeEvents(service().context)
      const { purgedUpTo } = await verify(service())
      assert.ok(purgedUpTo < ahead.sequence, 'no event shows yet that they are old')

      await recordMany(service(), 5)
      const { head: later } = await verify(service())
      service().advance(40 * DAY)
      await recordMany(service(), 1)
      await purgeEvents(service().context)
      const { problem, purgedUpTo: end } = await verify(service())
      assert.equal(problem, undefined)
      assert.ok(end >= later.sequence, `${end} and ${later.sequence}`)
    })

    test('purgeEvents stops before an event with an invalid MAC, so that the evidence stays', async () => {
      const { database } = service().context
      await recordMany(service(), 10)
      const { purgedUpTo } = await verify(service())
      const place = purgedUpTo + 3
      const change = (subjectId: string | null) =>
        database.updateTable('auditEvents').set({ subjectId }).where('sequence', '=', place).execute()
      await change('usr_x')
      service().advance(40 * DAY)
      await purgeEvents(service().context)
      assert.match((await verify(service())).problem ?? '', new RegExp(`Event ${place} \\(.*was changed`))
      await change(null)
      await purgeEvents(service().context)
      const after = await verify(service())
      assert.equal(after.problem, undefined)
      assert.ok(after.purgedUpTo > place)
    })

    test('A process with an older SECRET purges nothing', async () => {
      const { database } = service().context
      await recordMany(service(), 10)
      const { purgedUpTo } = await verify(service())
      service().advance(40 * DAY)
      const newer = { generation: 1_000, secretId: 'newer', retiredKeys: null, createdAt: 0 }
      await insertSecretGeneration(database, newer)
      await purgeEvents(service().context)
      assert.equal((await verify(service())).purgedUpTo, purgedUpTo)
      await database.deleteFrom('secretGenerations').where('generation', '=', newer.generation).execute()
      await purgeEvents(service().context)
      assert.ok((await verify(service())).purgedUpTo > purgedUpTo)
    })

    test('purgeEvents does not move a start that was changed, so that the removed events show', async () => {
      const { database } = service().context
      await recordMany(service(), 10)
      const start = await database.selectFrom('auditStart').selectAll().executeTakeFirstOrThrow()
      const [removed] = await database
        .deleteFrom('auditEvents')
        .where('sequence', '=', start.sequence + 1)
        .returningAll()
        .execute()
      const moved = { sequence: start.sequence + 1, hash: removed?.hash ?? '' }
      await database.updateTable('auditStart').set(moved).execute()
      service().advance(40 * DAY)
      await recordMany(service(), 1)
      await purgeEvents(service().context)
      assert.equal((await verify(service())).problem, 'The start of the chain was changed.')
      assert.equal(await findNewestProblem(service().context), 'The start of the chain was changed.')

      await database.updateTable('auditStart').set(start).execute()
      if (removed) await database.insertInto('auditEvents').values(removed).execute()
      await purgeEvents(service().context)
      const { problem, purgedUpTo } = await verify(service())
      assert.deepEqual([problem, purgedUpTo], [undefined, start.sequence + 11])
    })
  },
  { AUDIT_RETENTION_DAYS: String(RETENTION_DAYS) },
)

async function recordMany({ context }: Service, count: number): Promise<void> {
  await context.database.transaction().execute(async (transaction) => {
    for (let event = 0; event < count; event += 1)
      await recordEvent(transaction, context, OPERATOR, { action: 'user.created' })
  })
  await linkNewEvents(context)
}

function verify({ context }: Pick<Service, 'context'>, known?: ChainPosition): Promise<AuditVerdict> {
  return verifyChain(context, known, () => {})
}

async function countEvents({ context }: Service): Promise<number> {
  const { count } = await context.database
    .selectFrom('auditEvents')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** The recorded details of the purges of today. */
async function listPurges({ context }: Service): Promise<unknown[]> {
  const events = await context.database
    .selectFrom('auditEvents')
    .select('details')
    .where('action', '=', 'audit-log.purged')
    .where('createdAt', '>', context.now() - DAY)
    .execute()
  return events.map(({ details }) => JSON.parse(details))
}

/** @returns a database that calls `act` after this number of reads */
function whileReading(context: Service['context'], moment: number, act: () => Promise<void>) {
  let reads = 0
  const database = context.database.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      reads += 1
      if (reads === moment) await act()
      return result
    },
  })
  return { database, countReads: () => reads }
}
