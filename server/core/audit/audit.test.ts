import assert from 'node:assert/strict'
import { afterEach, before, test } from 'node:test'
import { sql } from 'kysely'
import { onEachDatabase, type Service, startService } from '../../../test/support/service.ts'
import { administrator, newUser, signedIn } from '../../../test/support/users.ts'
import { AUDIT_ACTIONS } from './actions.ts'
import { OPERATOR } from './actor.ts'
import { createChainer, linkNewEvents } from './chain.ts'
import type { ChainPosition } from './chain-ends-store.ts'
import { recordEvent } from './record-event.ts'
import { countUnlinked, linkEvents } from './store.ts'
import { type AuditVerdict, verifyChain } from './verify-chain.ts'

onEachDatabase('audit chain', (service) => {
  before(async () => {
    await createEvents(service())
    await chained(service())
  })
  // A test that fails would leave them to the others.
  afterEach(() => deleteForged(service()))

  test('verifyChain finds no problem after changes, and returns the head', async () => {
    await createEvents(service())
    assert.ok((await verify(service())).unlinkedCount > 0)
    await linkNewEvents(service().context)
    const { head, unlinkedCount, problem } = await verify(service())
    assert.equal(problem, undefined)
    assert.equal(unlinkedCount, 0)
    assert.ok(head.sequence >= 3)
    assert.equal((await verify(service(), head)).problem, undefined)
  })

  test('verifyChain names an event with any changed column', async () => {
    const { database } = service().context
    await chained(service())
    const entry = await database
      .selectFrom('auditEvents')
      .selectAll()
      .where('sequence', '=', 2)
      .executeTakeFirstOrThrow()
    const changes = [
      { action: 'user.banned' },
      { createdAt: entry.createdAt + 1 },
      { actorId: 'usr_x' },
      { subjectId: 'usr_x' },
      { organizationId: 'org_x' },
      { ipAddress: '1.2.3.4' },
      { userAgent: 'x' },
      { requestId: 'x' },
      { impersonatedBy: 'usr_x' },
      { details: '{}  ' },
      { mac: 'x' },
      { hash: 'x' },
    ]
    for (const change of changes) {
      await database.updateTable('auditEvents').set(change).where('id', '=', entry.id).execute()
      assert.match(
        (await verify(service())).problem ?? '',
        new RegExp(`Event 2 \\(${entry.id}\\)`),
        JSON.stringify(change),
      )
      await database.updateTable('auditEvents').set(entry).where('id', '=', entry.id).execute()
    }
    assert.equal((await verify(service())).problem, undefined)
  })

  test('verifyChain names the first removed event, in the middle or at the end', async () => {
    const { database } = service().context
    const { head } = await chained(service())
    for (const sequence of [1, 2, head.sequence]) {
      const [row] = await database.deleteFrom('auditEvents').where('sequence', '=', sequence).returningAll().execute()
      assert.match((await verify(service())).problem ?? '', new RegExp(`Event ${sequence} was removed`))
      assert.ok(row)
      await database.insertInto('auditEvents').values(row).execute()
    }
  })

  test('verifyChain names an inserted event: at the end, moved, copied or unlinked', async () => {
    const { database } = service().context
    const { head } = await chained(service())
    const last = await database
      .selectFrom('auditEvents')
      .selectAll()
      .where('sequence', '=', head.sequence)
      .executeTakeFirstOrThrow()
    const inserted = { ...last, id: 'evt_inserted', sequence: head.sequence + 1 }
    await database.insertInto('auditEvents').values(inserted).execute()
    assert.match((await verify(service())).problem ?? '', /evt_inserted/)
    await database
      .updateTable('auditEvents')
      .set({ sequence: null, hash: null })
      .where('id', '=', inserted.id)
      .execute()
    await linkNewEvents(service().context)
    assert.match((await verify(service())).problem ?? '', /evt_inserted.*not written by this service/)
    await database.deleteFrom('auditEvents').where('id', '=', inserted.id).execute()
    const [first, second] = await database
      .selectFrom('auditEvents')
      .selectAll()
      .where('sequence', '<=', 2)
      .orderBy('sequence')
      .execute()
    await swap(service(), first?.id ?? '', second?.id ?? '')
    assert.match((await verify(service())).problem ?? '', /^Event 1/)
    await swap(service(), second?.id ?? '', first?.id ?? '')
    assert.equal((await verify(service())).problem, undefined)
  })

  test('verifyChain names an event whose sequence is no position, for every value that the database accepts', async () => {
    const { engine, context } = service()
    await chained(service())
    const places = ['-7', '0', '1000000000000', '9007199254740993', '9223372036854775807', '-9223372036854775808']
    const more = engine === 'sqlite' ? ['0.5', '1.5', '9e999', '-9e999', "'x'", "'1x'", "x'31'", "''"] : []
    for (const place of [...places, ...more]) {
      await forge(service(), { id: "'evt_forged'", sequence: place })
      assert.match((await verify(service())).problem ?? '', /evt_forged/, place)
      await deleteForged(service())
    }
    assert.equal((await verify(service())).problem, undefined)
    // A moved event is also missing at its position.
    const moved = context.database.updateTable('auditEvents')
    await moved.set({ sequence: -1 }).where('sequence', '=', 1).execute()
    assert.match((await verify(service())).problem ?? '', /was inserted: no place/)
    await moved.set({ sequence: 1 }).where('sequence', '=', -1).execute()
    assert.equal((await verify(service())).problem, undefined)
  })

  test('linkNewEvents links no changed or forged event, and verifyChain names it', async () => {
    const { engine, context } = service()
    const { head } = await chained(service())
    const forgeries = ["'evt_forged'", ...(engine === 'sqlite' ? ['null', "x'31'"] : [])]
    for (const id of forgeries) {
      for (const createdAt of ['0', '9223372036854775807', '-9223372036854775808']) {
        await forge(service(), { id, createdAt })
        const invalid = await linkNewEvents(context)
        assert.equal(invalid.count, 1)
        const { problem, head: after } = await verify(service())
        assert.match(problem ?? '', /^Event .*, not linked yet, was changed, or was not written by this service/)
        if (id === "'evt_forged'") assert.match(problem ?? '', /evt_forged/)
        assert.deepEqual(after, head)
        await deleteForged(service())
      }
    }
    await recordEvent(context.database, context, OPERATOR, { action: 'user.created' })
    const ours = () => context.database.updateTable('auditEvents').where('sequence', 'is', null)
    await ours().set({ subjectId: 'usr_x' }).execute()
    assert.equal((await linkNewEvents(context)).count, 1)
    assert.match((await verify(service())).problem ?? '', /not linked yet, was changed/)
    await ours().set({ subjectId: null }).execute()
    assert.equal((await linkNewEvents(context)).count, 0)
    assert.equal((await verify(service())).problem, undefined)
  })

  test('linkEvents refuses events of which one has changed, and links none of them', async () => {
    const { database } = service().context
    for (const _event of [1, 2]) await recordEvent(database, service().context, OPERATOR, { action: 'user.created' })
    const [first, second] = await database
      .selectFrom('auditEvents')
      .select(['id', 'mac'])
      .where('sequence', 'is', null)
      .execute()
    assert.ok(first && second)
    const links = [first, { ...second, mac: 'of an earlier count' }].map((event, index) => ({
      ...event,
      sequence: 1_000_000 + index,
      hash: 'hash',
    }))
    const linking = database.transaction().execute((transaction) => linkEvents(transaction, links))
    await assert.rejects(linking, new RegExp(`Audit event ${second.id} changed while it was linked`))
    await linkNewEvents(service().context)
    assert.equal((await verify(service())).problem, undefined)
  })

  test('linkNewEvents continues after any number of forged events, and the chainer logs them once', async (t) => {
    const lines: string[] = []
    const { engine } = service()
    const beside = await startService({ engine, beside: service(), onLog: (line) => lines.push(line) })
    t.after(() => beside.stop())
    const { context } = beside
    await chained(service())
    for (let count = 0; count < 250; count += 1) await forge(service(), { id: `'evt_forged${count}'` })
    await recordEvent(context.database, context, OPERATOR, { action: 'user.created' })
    const { count, firstId } = await linkNewEvents(context)
    assert.deepEqual([count, firstId], [250, 'evt_forged0'])
    const { unlinkedCount, problem } = await verify(service())
    assert.equal(unlinkedCount, 250)
    assert.match(problem ?? '', /evt_forged0,/)
    const chainer = createChainer(context)
    chainer.start()
    await chainer.stop()
    const told = lines.map((line) => JSON.parse(line)).filter((line) => line.firstId === 'evt_forged0')
    assert.deepEqual(
      told.map((line) => [line.level, line.count]),
      [[50, 250]],
    )
    await deleteForged(service())
    assert.equal((await verify(service())).problem, undefined)
  })

  test('linkNewEvents reports the count of linked events after each batch', async () => {
    const { context } = service()
    await linkNewEvents(context)
    for (let count = 0; count < 150; count += 1)
      await recordEvent(context.database, context, OPERATOR, { action: 'user.created' })
    assert.equal(await countUnlinked(context.database), 150)
    const counts: number[] = []
    await linkNewEvents(context, undefined, (count) => counts.push(count))
    assert.deepEqual(counts, [100, 150])
    assert.equal(await countUnlinked(context.database), 0)
  })

  test('verifyChain names a forged event after a thousand valid ones, linked or not', async () => {
    const { context } = service()
    await chained(service())
    await context.database.transaction().execute(async (transaction) => {
      for (let count = 0; count < 1_005; count += 1)
        await recordEvent(transaction, context, OPERATOR, { action: 'user.created' })
    })
    await forge(service(), { id: "'evt_forged'", createdAt: '9007199254740000' })
    const { unlinkedCount, problem } = await verify(service())
    assert.equal(unlinkedCount, 1_006)
    assert.match(problem ?? '', /evt_forged/)
    await linkNewEvents(context)
    assert.match((await verify(service())).problem ?? '', /evt_forged/)
    await deleteForged(service())
    assert.equal((await verify(service())).problem, undefined)
  })

  test('A shortened chain with a changed head is found, and with an old head by a head that was stored elsewhere', async () => {
    const { database } = service().context
    const early = (await chained(service())).head
    const earlyRow = await database.selectFrom('auditHead').selectAll().executeTakeFirstOrThrow()
    await createEvents(service())
    const late = (await chained(service())).head
    const lateRow = await database.selectFrom('auditHead').selectAll().executeTakeFirstOrThrow()
    const cut = await database.deleteFrom('auditEvents').where('sequence', '>', early.sequence).returningAll().execute()
    assert.match(
      (await verify(service())).problem ?? '',
      new RegExp(`Event ${early.sequence + 1} was removed, and all after`),
    )
    const { sequence, hash } = early
    await database.updateTable('auditHead').set({ sequence, hash }).execute()
    assert.equal((await verify(service())).problem, 'The chain head was changed.', 'the MAC is of the later head')
    // An attacker can also restore an old head. Only a hash that is stored elsewhere reveals it.
    await database.updateTable('auditHead').set(earlyRow).execute()
    assert.equal((await verify(service())).problem, undefined)
    assert.match((await verify(service(), late)).problem ?? '', /was removed, and all after/)
    assert.match(
      (await verify(service(), { sequence: 1, hash: late.hash })).problem ?? '',
      /not the one whose hash you stored/,
    )
    await database.updateTable('auditHead').set({ sequence: 1 }).execute()
    assert.ok((await verify(service())).problem)
    for (const row of cut) await database.insertInto('auditEvents').values(row).execute()
    await database.updateTable('auditHead').set(earlyRow).execute()
    assert.equal((await verify(service())).problem, `Event ${sequence + 1} was inserted after the end of the chain.`)
    await database.updateTable('auditHead').set(lateRow).execute()
    assert.equal((await verify(service())).problem, undefined)
  })

  test('linkNewEvents links nothing to a head that was changed, and so the removed events show', async () => {
    const { context } = service()
    const { database } = context
    await createEvents(service())
    await chained(service())
    const { sequence } = (await verify(service())).head
    const head = await database.selectFrom('auditHead').selectAll().executeTakeFirstOrThrow()
    const removed = await database.deleteFrom('auditEvents').where('sequence', '=', sequence).returningAll().execute()
    const last = await database
      .selectFrom('auditEvents')
      .select('hash')
      .where('sequence', '=', sequence - 1)
      .executeTakeFirstOrThrow()
    await database
      .updateTable('auditHead')
      .set({ sequence: sequence - 1, hash: last.hash ?? '' })
      .execute()
    await createEvents(service())
    assert.equal((await linkNewEvents(context)).hasInvalidHead, true)
    assert.equal((await verify(service())).problem, 'The chain head was changed.')

    await database.updateTable('auditHead').set(head).execute()
    await database.insertInto('auditEvents').values(removed).execute()
    await chained(service())
    const { problem, unlinkedCount } = await verify(service())
    assert.deepEqual([problem, unlinkedCount], [undefined, 0])
  })

  test('The chainer logs a changed head once', async (t) => {
    const lines: string[] = []
    const { engine } = service()
    const beside = await startService({ engine, beside: service(), onLog: (line) => lines.push(line) })
    t.after(() => beside.stop())
    const { context } = beside
    await createEvents(service())
    await chained(service())
    const { mac } = await context.database.selectFrom('auditHead').select('mac').executeTakeFirstOrThrow()
    await context.database.updateTable('auditHead').set({ mac: 'x' }).execute()
    const chainer = createChainer(context)
    await chainer.stop()
    await chainer.stop()
    const told = lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => /^the head of the audit log was changed/.test(msg))
    assert.deepEqual(
      told.map(({ level }) => level),
      [50],
    )
    await context.database.updateTable('auditHead').set({ mac }).execute()
    await chained(service())
  })

  test('Concurrent writers and linkers create a chain without a gap', async () => {
    const { context, engine } = service()
    const beside = engine === 'postgres' ? await startService({ engine, beside: service() }) : service()
    try {
      const write = (count: number) =>
        Promise.all(
          Array.from({ length: count }, () =>
            recordEvent(context.database, context, OPERATOR, { action: 'user.created' }),
          ),
        )
      const link = () => Promise.all([linkNewEvents(context), linkNewEvents(beside.context), linkNewEvents(context)])
      await Promise.all([write(150), link(), write(20), link()])
      await link()
      const { problem, unlinkedCount } = await verify(service())
      assert.equal(problem, undefined)
      assert.equal(unlinkedCount, 0)
    } finally {
      if (beside !== service()) await beside.stop()
    }
  })

  test('linkNewEvents links no event twice that another process links between two reads', async () => {
    const { context } = service()
    await chained(service())
    for (const moment of [1, 2]) {
      for (let count = 0; count < 3; count += 1)
        await recordEvent(context.database, context, OPERATOR, { action: 'user.created' })
      let reads = 0
      const database = context.database.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          reads += 1
          if (reads === moment) await linkNewEvents(context)
          return result
        },
      })
      await linkNewEvents({ ...context, database })
      const { problem, unlinkedCount } = await verify(service())
      assert.deepEqual([problem, unlinkedCount], [undefined, 0])
    }
  })

  test('The chainer links new events while it runs, and at its stop', async () => {
    const chainer = createChainer(service().context)
    chainer.start()
    await createEvents(service())
    await chainer.stop()
    const { problem, unlinkedCount } = await verify(service())
    assert.equal(problem, undefined)
    assert.equal(unlinkedCount, 0)
  })
})

onEachDatabase('list-audit-events', (service) => {
  test('list-audit-events returns events newest first, by actor, subject, organization, action and time', async () => {
    const admin = await administrator(service())
    const userId = await newUser(service())
    await admin.client.post('/api/auth/admin/ban-user', { userId, banReason: 'Spam' })
    const list = async (query: string) => {
      const answer = await admin.client.get(`/api/auth/admin/list-audit-events?${query}`)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return answer.body
    }
    const { events } = await list(`subjectId=${userId}`)
    assert.deepEqual(
      events.map(({ action }: { action: string }) => action),
      ['user.banned', 'user.created'],
    )
    assert.equal(events[0].actorId, admin.id)
    assert.deepEqual(events[0].details, { reason: 'Spam', expiresAt: null })
    assert.equal(events[0].mac, undefined)
    assert.equal((await list(`subjectId=${userId}&action=user.created`)).events.length, 1)
    assert.equal((await list(`subjectId=${userId}&actorId=usr_other`)).events.length, 0)
    assert.equal((await list('organizationId=org_other')).events.length, 0)
    const page = await list('limit=1&offset=1')
    assert.deepEqual([page.events.length, page.limit, page.offset, page.hasMore], [1, 1, 1, true])
    const at = events[0].createdAt
    assert.equal(
      (await list(`subjectId=${userId}&until=${at}`)).events.some(
        ({ action }: { action: string }) => action === 'user.banned',
      ),
      false,
    )
    assert.equal((await list(`subjectId=${userId}&from=${at}`)).events[0].action, 'user.banned')
    assert.equal((await list(`subjectId=${userId}&from=${Date.parse(at) + 1}`)).events.length, 0)
  })

  test('list-audit-events refuses unknown filters, and names them', async () => {
    const { client } = await administrator(service())
    for (const [query, field] of [
      ['action=%27', 'action'],
      ['action=user.baned', 'action'],
      ['from=yesterday', 'from'],
      ['until=2026-99-01', 'until'],
      ['limit=501', 'limit'],
      ['limit=0', 'limit'],
      ['offset=-1', 'offset'],
      ['actorId=', 'actorId'],
      ['actorId=a&actorId=b', 'actorId'],
      ['sortBy=id', 'sortBy'],
    ] as const) {
      const answer = await client.get(`/api/auth/admin/list-audit-events?${query}`)
      assert.equal(answer.status, 400, query)
      assert.equal(answer.body.field, field)
    }
    const { message } = (await client.get('/api/auth/admin/list-audit-events?action=user.baned')).body
    assert.match(
      message,
      /^action must be one of access\.refused, .*, and others: \/api\/auth\/reference has them all\.$/,
    )
  })

  test('list-audit-events filters by every action', async () => {
    const { client } = await administrator(service())
    const list = async (query: string) => {
      const { status, body } = await client.get(`/api/auth/admin/list-audit-events?limit=500${query}`)
      assert.deepEqual([status, body.hasMore], [200, false], query)
      return body.events as { id: string; action: string }[]
    }
    const all = await list('')
    assert.ok(new Set(all.map(({ action }) => action)).size > 1)
    for (const name of AUDIT_ACTIONS)
      assert.deepEqual(
        await list(`&action=${name}`),
        all.filter(({ action }) => action === name),
      )
  })
})

async function createEvents(service: Service): Promise<void> {
  const { email } = await administrator(service)
  await signedIn(service, email)
  await signedIn(service, email)
}

function verify(service: Service, known?: ChainPosition): Promise<AuditVerdict> {
  return verifyChain(service.context, known, () => {})
}

/** Inserts an event without the service. The values are SQL. */
async function forge({ context }: Service, { id = '', createdAt = '0', sequence = 'null' }): Promise<void> {
  await sql
    .raw(
      `insert into "auditEvents" (id, "createdAt", action, "subjectId", details, mac, sequence)
       values (${id}, ${createdAt}, 'user.role-set', 'usr_x', '{"forged":true}', 'x', ${sequence})`,
    )
    .execute(context.database)
}

async function deleteForged({ context }: Service): Promise<void> {
  await context.database.deleteFrom('auditEvents').where('details', '=', '{"forged":true}').execute()
}

async function chained(service: Service): Promise<AuditVerdict> {
  await linkNewEvents(service.context)
  const verdict = await verify(service)
  assert.equal(verdict.problem, undefined)
  return verdict
}

/** Swaps the positions of two events. */
async function swap({ context: { database } }: Service, firstId: string, secondId: string): Promise<void> {
  const place = (id: string, sequence: number) =>
    database.updateTable('auditEvents').set({ sequence }).where('id', '=', id).execute()
  await place(firstId, -1)
  await place(secondId, 1)
  await place(firstId, 2)
}
