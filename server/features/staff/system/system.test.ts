import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { onEachDatabase, startService } from '../../../../test/support/service.ts'
import { administrator, newUser } from '../../../../test/support/users.ts'
import { linkNewEvents } from '../../../core/audit/chain.ts'
import { secretPathOf } from '../../../platform/crypto/secret-file.ts'
import { listAttention } from './list-attention.ts'

const SYSTEM = '/api/auth/admin/get-system'

interface Named {
  name: string
  kind: string
  status: string
  message: string
}

onEachDatabase(
  'get-system',
  (service, engine) => {
    const get = async () => {
      const { status, body } = await (await administrator(service())).client.get(SYSTEM)
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }
    const failedChecks = async () =>
      (await get()).checks.filter(({ status }: Named) => status === 'failed').map(({ name }: Named) => name)
    const kindsOf = (body: { attention: Named[] }) => body.attention.map(({ kind }) => kind)

    test('get-system returns the quick checks of doctor, the signing keys and the origins', async () => {
      const body = await get()
      const byName = Object.fromEntries(body.checks.map(({ name, status }: Named) => [name, status]))
      assert.deepEqual(Object.keys(byName), [
        'configuration',
        'database',
        'secret',
        'clock',
        'administrator',
        'two-step verification',
        ...(engine === 'postgres' ? ['change rows', 'rights'] : ['files']),
        'test write',
        'mail',
        'pages',
      ])
      assert.deepEqual([...new Set(Object.values(byName))], ['ok'])
      assert.deepEqual([body.engine, body.returnToOrigins], [service().engine, ['http://localhost:1234']])
      assert.match(body.version, /^\d+\.\d+\.\d+/)
      assert.ok(Date.parse(body.startedAt) <= service().context.now())
      assert.deepEqual(
        body.signingKeys.map(({ state, retiresAt }: { state: string; retiresAt: null }) => [state, retiresAt]),
        [['signing', null]],
      )
      assert.ok(kindsOf(body).includes('single-administrator'))
    })

    test('get-system reports that the database can be read and not written', async () => {
      const { client } = await administrator(service())
      const testWrite = async () => {
        const { body } = await client.get(SYSTEM)
        return body.checks.find(({ name }: Named) => name === 'test write')
      }
      const unlock = await lockForWrites()
      const { status, message } = await testWrite().finally(unlock)
      assert.equal(status, 'failed', message)
      assert.deepEqual(await testWrite(), { name: 'test write', status: 'ok', message: 'the database was written' })
    })

    /** @returns the function that ends the lock */
    async function lockForWrites(): Promise<() => Promise<unknown>> {
      const { database } = service().config
      if (database.engine === 'sqlite') {
        const other = new DatabaseSync(database.path)
        other.exec('begin immediate')
        return async () => other.close()
      }
      const other = new pg.Client(database.url)
      await other.connect()
      await other.query('begin; lock table "writeTests"')
      return () => other.end()
    }

    if (engine === 'postgres')
      test('get-system reports a disabled trigger of the change rows', async () => {
        const { database } = service().context
        await sql`alter table sessions disable trigger sessions_update_recorded`.execute(database)
        assert.deepEqual(await failedChecks(), ['change rows'])
        await sql`alter table sessions enable always trigger sessions_update_recorded`.execute(database)
        assert.deepEqual(await failedChecks(), [])
      })
    else
      test('get-system reports a file with the secret that other users can read', async () => {
        const { database } = service().config
        assert.ok(database.engine === 'sqlite')
        const path = secretPathOf(database.path)
        writeFileSync(path, '')
        chmodSync(path, 0o644)
        assert.deepEqual(await failedChecks(), ['files'])
        rmSync(path)
        assert.deepEqual(await failedChecks(), [])
      })

    test('get-system reports a single administrator, also beside one whose email address is unverified', async () => {
      const admin = await administrator(service())
      const userId = await newUser(service(), { role: 'admin' })
      assert.ok(!kindsOf(await get()).includes('single-administrator'))
      const body = { userId, data: { emailVerified: false } }
      assert.equal((await admin.client.post('/api/auth/admin/update-user', body)).status, 200)
      assert.ok(kindsOf(await get()).includes('single-administrator'))
    })

    test('get-system reports a changed event among the newest of the audit chain', async () => {
      const { context } = service()
      await get()
      await linkNewEvents(context)
      assert.ok(!kindsOf(await get()).includes('audit-chain'))
      const { database } = context
      const newest = await database
        .selectFrom('auditEvents')
        .select(['id', 'details'])
        .where('sequence', 'is not', null)
        .orderBy('sequence', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow()
      const change = (details: string) =>
        database.updateTable('auditEvents').set({ details }).where('id', '=', newest.id).execute()
      await change('{"forged":true}')
      assert.ok(kindsOf(await get()).includes('audit-chain'))
      await change(newest.details)
      assert.ok(!kindsOf(await get()).includes('audit-chain'))
    })

    test('get-system reports that the newest audit event was removed, also after the chain head was set back', async () => {
      const { database } = service().context
      await get()
      await linkNewEvents(service().context)
      const head = await database.selectFrom('auditHead').selectAll().executeTakeFirstOrThrow()
      const newest = database.selectFrom('auditEvents').orderBy('sequence', 'desc').limit(2)
      const [last, before] = await newest.selectAll().where('sequence', 'is not', null).execute()
      await database.deleteFrom('auditEvents').where('id', '=', last!.id).execute()
      assert.ok(kindsOf(await get()).includes('audit-chain'))
      const { sequence, hash } = before!
      await database.updateTable('auditHead').set({ sequence: sequence!, hash: hash! }).execute()
      assert.ok(kindsOf(await get()).includes('audit-chain'))
      await database.insertInto('auditEvents').values(last!).execute()
      await database.updateTable('auditHead').set(head).execute()
      assert.ok(!kindsOf(await get()).includes('audit-chain'))
    })

    test('get-system reports an audit log without its head, and one whose start was moved to its head', async () => {
      const { context } = service()
      const { database } = context
      await linkNewEvents(context)
      const head = await database.selectFrom('auditHead').selectAll().executeTakeFirstOrThrow()
      await database.deleteFrom('auditHead').execute()
      assert.ok(kindsOf(await get()).includes('audit-chain'))
      await database.insertInto('auditHead').values(head).execute()
      assert.ok(!kindsOf(await get()).includes('audit-chain'))

      const events = await database.deleteFrom('auditEvents').where('sequence', 'is not', null).returningAll().execute()
      await database
        .insertInto('auditStart')
        .values({ ...head, mac: 'x' })
        .execute()
      assert.ok(kindsOf(await get()).includes('audit-chain'))
      await database.deleteFrom('auditStart').execute()
      await database.insertInto('auditEvents').values(events).execute()
      assert.ok(!kindsOf(await get()).includes('audit-chain'))
    })

    test('get-system reports failed and waiting emails, and limits that are used up', async () => {
      const { context } = service()
      const now = context.now()
      const email = { kind: 'k', recipient: 'a@example.com', encryptedEmail: null, createdAt: now, attempts: 1 }
      const rest = { lastAttemptAt: now, nextAttemptAt: now + 1e6, leasedUntil: null, sentAt: null, priority: 0 }
      const more = { subjectId: null, organizationId: null }
      await context.database
        .insertInto('outbox')
        .values([
          { ...email, ...rest, ...more, id: 'eml_1', failedAt: now, lastError: '550 no' },
          { ...email, ...rest, ...more, id: 'eml_2', failedAt: null, lastError: '451 later' },
        ])
        .execute()
      const client = service().client()
      for (let count = 0; count < 4; count += 1)
        await client.post('/api/auth/sign-in/email', { email: 'b@example.com', password: 'not the right one' })
      const kinds = kindsOf(await get())
      for (const kind of ['mail-failing', 'mail-waiting', 'throttled']) assert.ok(kinds.includes(kind), kind)
    })

    test('listAttention counts up to 499 limits that are used up, and says "500 or more" beyond', async () => {
      for (const [usedUp, text] of [
        [499, '499 limits are used up.'],
        [600, '500 or more limits are used up.'],
      ] as const) {
        const counters = Array.from({ length: usedUp }, (_, id) => ({ key: `${id}`, used: 3, limit: 3, expiresAt: 0 }))
        const rateLimits = { listHalfUsed: async (maximum: number) => counters.slice(0, maximum) }
        const parts = { countLogOuts: async () => ({ retried: 0, givenUp: 0 }) }
        const attention = await listAttention(service().context, rateLimits, parts, [])
        assert.equal(attention.find(({ kind }) => kind === 'throttled')?.message, text)
      }
    })

    test('listAttention counts all waiting emails while the mail server is not available, and else the delayed ones', async () => {
      const { context } = service()
      const now = context.now()
      const email = { kind: 'k', recipient: 'a@example.com', encryptedEmail: null, attempts: 0, priority: 0 }
      const times = { lastAttemptAt: null, nextAttemptAt: now, leasedUntil: null, sentAt: null, failedAt: null }
      const queued = { ...email, ...times, subjectId: null, organizationId: null, createdAt: now - 1, lastError: null }
      const notice = { ...queued, createdAt: now + 60_000, nextAttemptAt: now + 60_000 }
      const rateLimits = { listHalfUsed: async () => [] }
      const parts = { countLogOuts: async () => ({ retried: 0, givenUp: 0 }) }
      const waitingWith = async (status: 'ok' | 'warning' | 'failed') => {
        const checks = [{ name: 'mail', status, message: '' }]
        const attention = await listAttention(context, rateLimits, parts, checks)
        return attention.find(({ kind }) => kind === 'mail-waiting')?.message
      }
      const add = (rows: (typeof queued | { lastError: string })[], name: string) =>
        context.database
          .insertInto('outbox')
          .values(rows.map((row, index) => ({ ...queued, ...row, id: `eml_${name}_${index}` })))
          .execute()
      await context.database.deleteFrom('outbox').execute()
      await add([...Array.from({ length: 50 }, () => queued), notice], 'queued')
      assert.deepEqual([await waitingWith('ok'), await waitingWith('warning')], [undefined, undefined])
      const all = (count: string) =>
        `${count} emails must wait. All emails wait while the mail server is not available.`
      assert.equal(await waitingWith('failed'), all('50'))
      await add(
        Array.from({ length: 5 }, () => ({ lastError: 'The mail server is not available: connect ECONNREFUSED' })),
        'delayed',
      )
      assert.equal(await waitingWith('ok'), '5 emails could not be sent yet, and will be tried again.')
      assert.deepEqual([await waitingWith('warning'), await waitingWith('failed')], [all('55'), all('55')])
      await add(
        Array.from({ length: 500 }, () => queued),
        'more',
      )
      assert.equal(await waitingWith('failed'), all('500 or more'))
      await context.database.deleteFrom('outbox').execute()
    })

    test('get-system counts the emails that failed in the last 24 hours, behind any number of later ones that the service gave up', async () => {
      const { database, now } = service().context
      const email = { kind: 'k', recipient: 'a@example.com', encryptedEmail: null, attempts: 1, priority: 0 }
      const times = { lastAttemptAt: null, nextAttemptAt: now(), leasedUntil: null, sentAt: null, failedAt: now() }
      const row = { ...email, ...times, subjectId: null, organizationId: null }
      const later = {
        ...row,
        createdAt: now(),
        lastError: 'Not sent: the invitation ended or was sent again, or its inviter may no longer invite',
      }
      await database.deleteFrom('outbox').execute()
      await database
        .insertInto('outbox')
        .values(Array.from({ length: 600 }, (_, index) => ({ ...later, id: `eml_later_${index}` })))
        .execute()
      assert.ok(!kindsOf(await get()).includes('mail-failing'))
      const failed = { ...row, createdAt: later.createdAt - 1, lastError: '550 no' }
      const yesterday = now() - 24 * 3_600_000
      await database
        .insertInto('outbox')
        .values([
          { ...failed, id: 'eml_failed' },
          { ...failed, id: 'eml_earlier', failedAt: yesterday },
          // A public form that sent nothing leaves such an email.
          { ...failed, id: 'eml_unknown', recipient: '' },
        ])
        .execute()
      const { attention } = await get()
      const failing = attention.find(({ kind }: { kind: string }) => kind === 'mail-failing')
      assert.equal(failing?.message, '1 email failed in the last 24 hours.')
    })

    test('get-system reports 501 failed emails as "500 or more emails failed in the last 24 hours."', async () => {
      const { database, now } = service().context
      const email = { kind: 'k', recipient: 'a@example.com', encryptedEmail: null, attempts: 1, priority: 0 }
      const times = { createdAt: now(), lastAttemptAt: null, nextAttemptAt: now(), leasedUntil: null, sentAt: null }
      const failed = { ...email, ...times, subjectId: null, organizationId: null, failedAt: now(), lastError: '550 no' }
      await database.deleteFrom('outbox').execute()
      await database
        .insertInto('outbox')
        .values(Array.from({ length: 501 }, (_, index) => ({ ...failed, id: `eml_failed_${index}` })))
        .execute()
      const failing = (await get()).attention.find(({ kind }: Named) => kind === 'mail-failing')
      assert.equal(failing?.message, '500 or more emails failed in the last 24 hours.')
      await database.deleteFrom('outbox').execute()
    })

    test('get-system reports log-outs that were given up or wait after an attempt', async () => {
      const { database, now } = service().context
      const clientId = 'cli_none'
      const failed = { clientId, userId: 'usr_1', attempts: 1, lastError: 'The client responded with status 500.' }
      const settledAt = now()
      await database
        .insertInto('oauthLogouts')
        .values([
          { ...failed, id: '1', sid: '1', settledAt },
          { ...failed, id: '2', sid: '2', settledAt: settledAt - 25 * 3_600_000 },
          { ...failed, id: '3', sid: '3', settledAt, lastError: null },
          { ...failed, id: '4', sid: '4' },
          { ...failed, id: '5', sid: '5' },
          { ...failed, id: '6', sid: '6', attempts: 0, lastError: null },
        ])
        .execute()
      const messages = Object.fromEntries((await get()).attention.map(({ kind, message }: Named) => [kind, message]))
      assert.match(messages['log-outs-failing'], /^1 log-out did not reach/)
      assert.match(messages['log-outs-waiting'], /^2 log-outs did not reach/)
    })
  },
  { RETURN_TO_ORIGINS: 'http://localhost:1234', ACCOUNT_GUESSES_PER_15_MINUTES: '3' },
)

test('get-system does not wait longer than 3 seconds for a mail server that does not answer', async (t) => {
  const sockets = new Set<Socket>()
  const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const service = await startService({ engine: 'sqlite', environment: { SMTP_URL: `smtp://127.0.0.1:${port}` } })
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    silent.close()
    await service.stop()
  })
  const { body } = await (await administrator(service)).client.get(SYSTEM)
  const mail = (body.checks as Named[]).find(({ name }) => name === 'mail')
  assert.deepEqual([mail?.status, mail?.message], ['warning', 'there is no response within 3 seconds'])
})
