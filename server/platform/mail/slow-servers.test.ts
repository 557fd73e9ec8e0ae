import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { pino } from 'pino'
import { mockPauses } from '../../../test/support/mock-pauses.ts'
import { sendTestEmail } from '../../../test/support/send-email.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { type SmtpScript, startSmtpScript } from '../../../test/support/smtp-script.ts'
import { until } from '../../../test/support/until.ts'
import { newEmail } from '../../../test/support/users.ts'
import { emailVerificationEmail } from '../../features/account/email/emails.ts'
import { parseSmtpUrl, type SmtpServer } from '../config/smtp-server.ts'
import { createKeyring } from '../crypto/keyring.ts'
import { DatabaseUnavailable } from '../database/unavailable.ts'
import { createDelivery, type Delivery } from './delivery.ts'
import { leaseEmail, markSent, renewLease } from './lease-email.ts'

const LEASE = 120_000
const RENEWAL = 30_000

onEachDatabase('slow mail servers', (service, engine) => {
  let script: SmtpScript
  let deliveries: Delivery[] = []
  before(async () => {
    script = await startSmtpScript()
  })
  after(() => script.close())
  beforeEach(async () => {
    Object.assign(script, { replies: {}, recipients: [], endHanging: [], connectionCount: 0 })
    await service().context.database.deleteFrom('outbox').execute()
  })

  afterEach(async () => {
    await Promise.all(deliveries.map((delivery) => delivery.stop()))
    deliveries = []
  })

  const newDelivery = (server: SmtpServer, times: Parameters<typeof createDelivery>[2] = {}) => {
    const delivery = createDelivery(service().context, server, times)
    deliveries.push(delivery)
    return delivery
  }
  const server = (change: Partial<SmtpServer> = {}): SmtpServer => ({
    ...parseSmtpUrl(`smtp://127.0.0.1:${script.port}`),
    ...change,
  })
  const enqueue = async (recipient = newEmail()) => {
    await sendTestEmail(service().context, emailVerificationEmail(recipient, 'http://localhost/'))
    return recipient
  }
  const row = (recipient: string) =>
    service()
      .context.database.selectFrom('outbox')
      .selectAll()
      .where('recipient', '=', recipient)
      .executeTakeFirstOrThrow()

  test('Two processes send an email once, although its attempt takes longer than a lease', async () => {
    const { context, advance } = service()
    const [slow, other] = [newDelivery(server(), { renewalMilliseconds: 10 }), newDelivery(server())]
    script.replies.message = 'hang'
    const recipient = await enqueue()
    const delivered = slow.deliverDue()
    await until(() => script.endHanging.length === 1, 'the content has arrived')
    for (let round = 0; round < 5; round += 1) {
      advance(LEASE - 30_000)
      const isRenewed = async () => Number((await row(recipient)).leasedUntil) > context.now() + LEASE - 20_000
      await until(isRenewed, 'the lease is renewed')
      await other.deliverDue()
    }
    for (const end of script.endHanging) end('250 taken')
    await delivered
    await Promise.all([slow.stop(), other.stop()])
    assert.deepEqual([script.recipients, script.connectionCount], [[recipient], 1])
    assert.ok((await row(recipient)).sentAt)
  })

  test('A lease is not renewed after its attempt, nor by a process that lost it', async () => {
    const { context, advance } = service()
    const recipient = await enqueue()
    const lost = await leaseEmail(context)
    assert.ok(lost)
    advance(LEASE)
    const current = await leaseEmail(context)
    const before = await row(recipient)
    advance(1_000)
    await renewLease(context, lost)
    assert.deepEqual(await row(recipient), before)
    assert.ok(current)
    await markSent(context, current, '250 taken')
    await renewLease(context, current)
    assert.equal((await row(recipient)).leasedUntil, null)
  })

  test('A process whose clock is 90 seconds ahead leases an email before the other one renews the lease, one with 89 does not', async (t) => {
    const { context, advance } = service()
    const renewals = t.mock.method(globalThis, 'setInterval')
    script.replies.message = 'hang'
    await enqueue()
    const delivery = newDelivery(server())
    const delivered = delivery.deliverDue()
    await until(() => script.endHanging.length === 1, 'the content has arrived')
    assert.ok(renewals.mock.calls.some(({ arguments: [, milliseconds] }) => milliseconds === RENEWAL))
    advance(RENEWAL)
    const ahead = (seconds: number) => ({ ...context, now: () => context.now() + seconds * 1_000 })
    assert.equal(await leaseEmail(ahead(89)), undefined)
    assert.ok(await leaseEmail(ahead(90)))
    for (const end of script.endHanging) end('250 taken')
    await delivered
  })

  // The deadlines of a conversation do not depend on the engine.
  if (engine === 'sqlite') testDeadlines()

  function testDeadlines(): void {
    test('A server gets an email once, although its response to the content takes longer than the deadline', async () => {
      const delivery = newDelivery(server({ deadlineMilliseconds: 1_000 }))
      const slow = await Promise.all(Array.from({ length: 5 }, (_, index) => enqueue(`slow${index}@example.com`)))
      hangFor('slow')
      delivery.start()
      await until(() => script.endHanging.length === 5, 'every conversation waits')
      const other = await enqueue()
      await until(() => script.recipients.includes(other), 'slow conversations make room for others')
      for (const end of script.endHanging) end('250 taken')
      await until(async () => (await row(slow[4] ?? '')).sentAt !== null, 'the response is stored')
      await delivery.stop()
      assert.deepEqual(script.recipients.toSorted(), [...slow, other].toSorted())
      for (const recipient of slow) assert.equal((await row(recipient)).attempts, 0)
    })

    test('Many slow responses for one domain do not delay an email to another domain', async () => {
      const { context } = service()
      const delivery = newDelivery(server({ deadlineMilliseconds: 1_000 }))
      for (let index = 0; index < 21; index += 1) await enqueue(`slow${index}@evil.example`)
      hangFor('slow')
      delivery.start()
      await until(() => script.endHanging.length >= 20, 'every conversation waits')
      const other = await enqueue()
      await until(() => script.recipients.includes(other), 'the other email is delivered')
      assert.ok(script.connectionCount - script.recipients.length <= 21)
      const ended = await context.database.selectFrom('outbox').select('id').where('attempts', '=', 1).execute()
      assert.ok(ended.length >= 1 && ended.length <= 6, `${ended.length} emails have ended at the deadline`)
      for (const end of script.endHanging) end('250 taken')
      await delivery.stop()
    })

    test('Only the response to the content may be late', async () => {
      const delivery = newDelivery(server({ deadlineMilliseconds: 500 }))
      for (const stage of ['greeting', 'EHLO', 'MAIL FROM', 'RCPT TO', 'DATA'] as const) {
        script.replies = { [stage]: 'hang' }
        await enqueue()
        await delivery.deliverDue()
        // With more emails, the next stage would wait for all of them.
        await service().context.database.deleteFrom('outbox').execute()
        service().advance(10 * LEASE)
      }
      await delivery.stop()
      assert.deepEqual(script.recipients, [])
    })

    test('An email without a response counts an attempt after the limit', async () => {
      const limits = { deadlineMilliseconds: 1_000, answerMilliseconds: 1 }
      const delivery = newDelivery(server(limits))
      script.replies.message = 'hang'
      const recipient = await enqueue()
      await delivery.deliverDue()
      await delivery.stop()
      const { attempts, failedAt, leasedUntil, lastError } = await row(recipient)
      assert.deepEqual([attempts, failedAt, leasedUntil], [1, null, null])
      assert.match(lastError ?? '', /took too long/)
    })

    test('A stop waits for the responses to the emails that are being sent, and sends no other', async () => {
      const delivery = newDelivery(server())
      script.replies.message = 'hang'
      for (let count = 0; count < 6; count += 1) await enqueue()
      delivery.start()
      await until(() => script.endHanging.length === 5, 'every conversation waits')
      const stopped = delivery.stop()
      // A stop that does not wait would close the connections now.
      await new Promise((resolve) => setTimeout(resolve, 20))
      for (const end of script.endHanging) end('250 taken')
      await stopped
      const emails = await service().context.database.selectFrom('outbox').selectAll().execute()
      assert.equal(emails.filter(({ sentAt }) => sentAt !== null).length, 5)
      assert.equal(emails.filter(({ lastAttemptAt }) => lastAttemptAt === null).length, 1)
    })

    test('A stop ends the wait for a response, and the email is sent again', async () => {
      const { advance } = service()
      // The stop waits longer than the deadline, so it ends the wait for a slow response.
      const stopped = newDelivery(server({ deadlineMilliseconds: 500 }), { stopMilliseconds: 1_000 })
      script.replies.message = 'hang'
      const recipient = await enqueue()
      stopped.start()
      await until(() => script.endHanging.length === 1, 'the content has arrived')
      await stopped.stop()
      assert.equal((await row(recipient)).leasedUntil, null)
      script.replies = {}
      advance(10_000)
      const next = newDelivery(server())
      await next.deliverDue()
      await next.stop()
      assert.deepEqual(script.recipients, [recipient])
    })

    test('A stop during the wait for a server logs no error, counts it as no outage, and the emails are sent again', async () => {
      const errors: string[] = []
      const log = pino({ level: 'error' }, { write: (line) => errors.push(line) })
      const outages = countOf('unavailable')
      const stopped = createDelivery({ ...service().context, log }, server(), { stopMilliseconds: 100 })
      script.replies = { greeting: () => (script.connectionCount === 1 ? 'hang' : undefined), message: 'hang' }
      // Unclear failures in three domains pause all emails.
      const recipients = ['one.example', 'two.example', 'three.example', 'four.example'].map((domain) => `a@${domain}`)
      for (const recipient of recipients) await enqueue(recipient)
      stopped.start()
      await until(() => script.endHanging.length === 4, 'every connection waits')
      await stopped.stop()
      assert.deepEqual([errors, countOf('unavailable')], [[], outages])
      script.replies = {}
      service().advance(10_000)
      await newDelivery(server()).deliverDue()
      assert.deepEqual(script.recipients.toSorted(), recipients.toSorted())
    })

    test('An email is marked as sent without its statistics after these were locked for 12 seconds', async (t) => {
      const { context } = service()
      const waits = mockPauses(t)
      const recipient = await enqueue()
      const email = await leaseEmail(context)
      assert.ok(email)
      const locked = t.mock.method(context.database, 'transaction', () => {
        throw new DatabaseUnavailable('canceling statement due to lock timeout')
      })
      await markSent(context, email, '250 taken')
      assert.equal(locked.mock.callCount(), 4)
      assert.deepEqual(waits, [500, 2_000, 10_000])
      assert.ok((await row(recipient)).sentAt)
    })

    test('A connection that the server refuses late does not pause the others, because the server has accepted emails since', async () => {
      const delivery = newDelivery(server())
      script.replies.greeting = () => (script.connectionCount === 1 ? 'hang' : undefined)
      await enqueue()
      await enqueue()
      const delivered = delivery.deliverDue()
      await until(() => script.endHanging.length === 1 && script.recipients.length === 1, 'one of two is accepted')
      script.endHanging[0]?.('421 too many connections')
      await delivered
      const next = await enqueue()
      await delivery.deliverDue()
      assert.equal(script.recipients.at(-1), next)
    })

    test('An email that does not reach the server does not shorten the pause of a server that is down', async () => {
      const { context, advance } = service()
      const keyring = createKeyring('a secret that only another process knows', context.randomBytes)
      const unreadable = {
        'unknown secret': keyring.encrypt('letter', '{}'),
        unreadable: 'damaged.damaged.damaged',
        // The composer of emails throws.
        postponed: context.keyring.encrypt('letter', JSON.stringify({ attachments: [null] })),
      }
      for (const [verdict, encryptedEmail] of Object.entries(unreadable)) {
        script.replies['MAIL FROM'] = '452 no space'
        const delivery = newDelivery(server())
        const waiting = await enqueue()
        const delivered = async () => {
          await delivery.deliverDue()
          const { nextAttemptAt } = await row(waiting)
          return nextAttemptAt - context.now()
        }
        for (let count = 0; count < 4; count += 1) {
          await delivered()
          advance(LEASE)
        }
        const other = await enqueue()
        // It is due first.
        const change = { encryptedEmail, nextAttemptAt: 0 }
        await context.database.updateTable('outbox').set(change).where('recipient', '=', other).execute()
        const count = countOf(verdict)
        const pauseMilliseconds = await delivered()
        assert.equal(countOf(verdict), count + 1, verdict)
        assert.ok(pauseMilliseconds > 30_000, `${verdict}: ${pauseMilliseconds} ms`)
        await context.database.deleteFrom('outbox').execute()
      }
    })
  }

  function countOf(verdict: string): number {
    return new Map(service().context.totals.entries('accounts_email_attempts_total')).get(verdict) ?? 0
  }

  function hangFor(start: string): void {
    script.replies.message = (_line, recipient) => (recipient.startsWith(start) ? 'hang' : undefined)
  }
})
