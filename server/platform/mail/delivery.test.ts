import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { failWrites } from '../../../test/support/fail-writes.ts'
import { sendTestEmail } from '../../../test/support/send-email.ts'
import { onEachDatabase, startService } from '../../../test/support/service.ts'
import { type SmtpSink, startSmtpSink } from '../../../test/support/smtp-sink.ts'
import { until } from '../../../test/support/until.ts'
import { newEmail } from '../../../test/support/users.ts'
import { unfinishedSignInEmail } from '../../core/devices/new-device-email.ts'
import { resetPasswordEmail } from '../../features/account/passwords/emails.ts'
import { invitationEmail } from '../../features/organizations/invitations/emails.ts'
import { maintain } from '../../maintenance.ts'
import { parseSmtpUrl } from '../config/smtp-server.ts'
import { createKeyring } from '../crypto/keyring.ts'
import { DatabaseUnavailable } from '../database/unavailable.ts'
import { createDelivery } from './delivery.ts'
import { leaseEmail, markSent } from './lease-email.ts'
import { deleteWaitingEmail, prepareEmail, sendEmailLaterUnlessLimited } from './outbox.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const LEASE = 2 * MINUTE

describe('Email delivery to a mail server', () => {
  let sink: SmtpSink
  before(async () => {
    sink = await startSmtpSink()
  })
  after(() => sink.close())

  onEachDatabase('email delivery', (service) => {
    beforeEach(() => service().context.database.deleteFrom('outbox').execute())

    const send = async (organizationName = 'Example Works') => {
      const recipient = newEmail()
      const message = invitationEmail({
        recipient,
        inviterName: 'Ada Admin',
        inviterEmail: 'ada@example.com',
        organizationName,
        role: 'member',
        link: 'http://localhost/invite/x.y',
      })
      const id = await sendTestEmail(service().context, message)
      return { id, recipient }
    }
    const sendReset = async () => {
      const { context } = service()
      const recipient = newEmail()
      const circumstances = { at: context.now(), ipAddress: null, userAgent: null }
      await sendTestEmail(context, resetPasswordEmail(recipient, 'http://localhost/', circumstances))
      return recipient
    }
    const row = (id: string) =>
      service().context.database.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const newDelivery = () => createDelivery(service().context, parseSmtpUrl(sink.url))
    const deliver = async () => {
      const delivery = newDelivery()
      await delivery.deliverDue()
      await delivery.stop()
    }
    const received = (recipient: string) => sink.emails.filter(({ envelope }) => envelope.to.includes(recipient))

    test('Delivery sends emails to the mail server, then deletes their text', async () => {
      const { id, recipient } = await send()
      await deliver()
      const [message] = received(recipient)
      assert.match(message?.subject ?? '', /Example Works/)
      assert.match(message?.text ?? '', /http:\/\/localhost\/invite\/x\.y/)
      assert.match(message?.html ?? '', /See the invitation/)
      assert.match(message?.headers['message-id'] ?? '', new RegExp(`^<${id}@localhost>$`))
      assert.equal(message?.headers['auto-submitted'], 'auto-generated', 'no absence notice replies')
      assert.equal(message?.headers['x-auto-response-suppress'], 'OOF, AutoReply')
      const { sentAt, encryptedEmail, lastError } = await row(id)
      assert.ok(sentAt)
      assert.equal(encryptedEmail, null)
      assert.match(lastError ?? '', /^250/)
    })

    test('The outbox stores emails encrypted, without a readable link', async () => {
      const { id } = await send('Sealed Works')
      assert.ok(!JSON.stringify(await row(id)).match(/invite|Sealed/))
      await deliver()
    })

    test('Delivery sends an email at its time, and never after it was taken back, which deletes no sent one', async () => {
      const { context } = service()
      const [kept, takenBack] = [newEmail(), newEmail()]
      const sendLater = async (recipient: string) => {
        const circumstances = { at: context.now(), ipAddress: null, userAgent: null }
        const email = prepareEmail(context, unfinishedSignInEmail(recipient, 'http://localhost/', circumstances))
        return sendEmailLaterUnlessLimited({ transaction: context.database, context }, email, 10 * MINUTE)
      }
      const sentId = await sendLater(kept)
      const id = await sendLater(takenBack)
      await deliver()
      service().advance(9 * MINUTE)
      await deliver()
      assert.deepEqual([received(kept).length, received(takenBack).length], [0, 0])
      await deleteWaitingEmail(context.database, id ?? '')
      service().advance(MINUTE)
      await deliver()
      assert.deepEqual([received(kept).length, received(takenBack).length], [1, 0])
      await deleteWaitingEmail(context.database, sentId ?? '')
      assert.ok((await row(sentId ?? '')).sentAt, 'the list of emails still shows it')
    })

    test('Delivery counts no attempt while the mail server is down, and sends the email later', async () => {
      const { id, recipient } = await send()
      await sink.close()
      await deliver()
      await sink.reopen()
      const waiting = await row(id)
      assert.deepEqual([waiting.sentAt, waiting.failedAt, waiting.attempts], [null, null, 0])
      assert.match(waiting.lastError ?? '', /ECONNREFUSED/)
      assert.ok(waiting.nextAttemptAt > service().context.now())
      await deliver()
      assert.equal(received(recipient).length, 0, 'it is not tried before its time')
      service().advance(10_000)
      await deliver()
      assert.equal(received(recipient).length, 1)
    })

    test('Delivery tries again after a temporary refusal, and gives up after a permanent one with its response', async () => {
      const { id, recipient } = await send()
      sink.refuseWith(451)
      await deliver()
      assert.equal((await row(id)).failedAt, null)
      service().advance(10_000)
      sink.refuseWith(550)
      await deliver()
      sink.refuseWith(undefined)
      const failed = await row(id)
      assert.ok(failed.failedAt)
      assert.match(failed.lastError ?? '', /550/)
      assert.equal(failed.attempts, 2, 'both attempts failed')
      service().advance(86_400_000)
      await deliver()
      assert.equal(received(recipient).length, 0)
    })

    test('An email that is sent a day late has the date on which it was written, but none in the future', async () => {
      const { context, advance } = service()
      const writtenAt = context.now()
      const [late, ahead] = [await send(), await send()]
      const dateOf = ({ recipient }: { recipient: string }) => Date.parse(received(recipient)[0]?.headers.date ?? '')
      advance(DAY)
      await context.database
        .updateTable('outbox')
        .set({ createdAt: writtenAt + 30 * DAY })
        .where('id', '=', ahead.id)
        .execute()
      await deliver()
      const inSeconds = (milliseconds: number) => Math.floor(milliseconds / 1000)
      assert.equal(inSeconds(dateOf(late)), inSeconds(writtenAt))
      const seconds = inSeconds(context.now()) - inSeconds(dateOf(ahead))
      assert.ok(seconds >= 0 && seconds < 60, `${seconds} s`)
    })

    test('The text of a failed email is deleted after 24 hours', async () => {
      const { id } = await send()
      sink.refuseWith(550)
      await deliver()
      sink.refuseWith(undefined)
      service().advance(86_400_000 - MINUTE)
      await maintain(service().context)
      assert.ok((await row(id)).encryptedEmail)
      service().advance(MINUTE)
      await maintain(service().context)
      assert.equal((await row(id)).encryptedEmail, null)
    })

    test('Concurrent processes with several conversations send each email once', async () => {
      const recipients = await Promise.all(Array.from({ length: 60 }, async () => (await send()).recipient))
      await Promise.all([deliver(), deliver(), deliver(), deliver()])
      for (const recipient of recipients) assert.equal(received(recipient).length, 1)
    })

    test('Another process sends an email after the lease of a crashed process', async () => {
      const { id } = await send()
      assert.equal((await leaseEmail(service().context))?.id, id)
      assert.equal(await leaseEmail(service().context), undefined)
      service().advance(LEASE)
      assert.equal((await leaseEmail(service().context))?.id, id)
    })

    test('Delivery neither stores nor counts the result of an attempt after the end of its lease', async () => {
      const { id } = await send()
      const first = await leaseEmail(service().context)
      service().advance(LEASE)
      assert.equal((await leaseEmail(service().context))?.id, id)
      assert.ok(first)
      const statistics = service().context.database.selectFrom('statistics').selectAll()
      const sent = statistics.where('name', '=', 'email-sent').orderBy('hour')
      const before = await sent.execute()
      await markSent(service().context, first, '250 too late')
      const { sentAt, leasedUntil } = await row(id)
      assert.deepEqual([sentAt, leasedUntil !== null], [null, true])
      assert.deepEqual(await sent.execute(), before)
    })

    test('Delivery marks a sent email as sent after the database was unavailable for a moment, and does not send it again', async (t) => {
      const { id, recipient } = await send()
      const transaction = t.mock.method(service().context.database, 'transaction')
      transaction.mock.mockImplementationOnce(() => {
        throw new DatabaseUnavailable('the connection was lost')
      })
      await deliver()
      assert.notEqual((await row(id)).sentAt, null)
      service().advance(LEASE)
      await deliver()
      assert.equal(received(recipient).length, 1)
    })

    test('Delivery marks emails as sent or failed without their statistics if these refuse every row, and tries no email again', async (t) => {
      t.after(await failWrites(service(), 'statistics'))
      const sent = await send()
      await deliver()
      const failed = await send()
      sink.refuseWith(550)
      await deliver()
      sink.refuseWith(undefined)
      service().advance(LEASE)
      await deliver()
      assert.equal(received(sent.recipient).length, 1)
      const [{ sentAt }, { failedAt, attempts }] = [await row(sent.id), await row(failed.id)]
      assert.deepEqual([sentAt !== null, failedAt !== null, attempts], [true, true, 1])
    })

    test('Delivery sends emails that were stored while the clock was a day ahead', async () => {
      const { context } = service()
      const tomorrow = context.now() + 86_400_000
      // The second one was leased by a process that has crashed.
      for (const change of [{ nextAttemptAt: tomorrow }, { leasedUntil: tomorrow }]) {
        const { id, recipient } = await send()
        await context.database.updateTable('outbox').set(change).where('id', '=', id).execute()
        await deliver()
        assert.equal(received(recipient).length, 1, Object.keys(change).join())
      }
    })

    test('Delivery sends a password reset before 60 waiting invitations', async () => {
      await Promise.all(Array.from({ length: 60 }, () => send()))
      const recipient = await sendReset()
      const before = sink.emails.length
      const delivery = newDelivery()
      const delivered = delivery.deliverDue()
      await until(() => received(recipient).length > 0, 'the first reset arrives')
      const later = await sendReset()
      const beforeLater = sink.emails.length
      await delivered
      // The emails that arrive until this test looks again do not count.
      const placeOf = (to: string) => sink.emails.findIndex(({ envelope }) => envelope.to.includes(to))
      assert.ok(placeOf(recipient) - before < 10, `${placeOf(recipient) - before} emails went before the first reset`)
      assert.ok(
        placeOf(later) - beforeLater < 20,
        `${placeOf(later) - beforeLater} emails went before the second reset`,
      )
      await delivery.stop()
      assert.equal(sink.emails.length - before, 62)
    })

    test("Delivery marks emails that can't be decrypted as failed, and sends the others", async () => {
      const { database } = service().context
      for (let count = 0; count < 80; count += 1) await sendReset()
      await database.updateTable('outbox').set({ encryptedEmail: 'damaged.damaged.damaged' }).execute()
      const recipient = await sendReset()
      await deliver()
      assert.equal(received(recipient).length, 1)
      const failed = await database.selectFrom('outbox').selectAll().where('failedAt', 'is not', null).execute()
      assert.equal(failed.length, 80)
      const attempts = new Map(service().context.totals.entries('accounts_email_attempts_total'))
      assert.equal(attempts.get('unreadable'), 80)
      assert.ok(failed.every(({ attempts, lastError }) => attempts === 0 && /can't be decrypted/.test(lastError ?? '')))
      assert.equal(await leaseEmail(service().context), undefined)
    })

    test('Delivery postpones an email with the SECRET of another process, and sends the others', async () => {
      const { context } = service()
      const keyring = createKeyring('a secret that only another process knows', context.randomBytes)
      const [foreign, recipient] = [newEmail(), await sendReset()]
      const circumstances = { at: context.now(), ipAddress: null, userAgent: null }
      const message = resetPasswordEmail(foreign, 'http://localhost/', circumstances)
      const id = await sendTestEmail({ ...context, keyring }, message)
      await deliver()
      assert.equal(received(recipient).length, 1)
      // More deliveries than ATTEMPTS_MAXIMUM. They count no attempt, because the email waits for a process with the
      // secret.
      for (let count = 0; count < 120; count += 1) {
        service().advance(MINUTE)
        await deliver()
      }
      const { failedAt, attempts, encryptedEmail } = await row(id)
      assert.deepEqual([failedAt, attempts], [null, 0])
      await context.database
        .updateTable('outbox')
        .set({ encryptedEmail: context.keyring.encrypt('letter', keyring.decrypt('letter', encryptedEmail ?? '')) })
        .where('id', '=', id)
        .execute()
      service().advance(MINUTE)
      await deliver()
      assert.equal(received(foreign).length, 1)
    })

    test('Delivery marks an email with an unknown SECRET as failed after 8 days, and deletes its text', async () => {
      const { context } = service()
      const keyring = createKeyring('a secret that no process knows any more', context.randomBytes)
      const circumstances = { at: context.now(), ipAddress: null, userAgent: null }
      const message = resetPasswordEmail(newEmail(), 'http://localhost/', circumstances)
      const id = await sendTestEmail({ ...context, keyring }, message)
      const delays: number[] = []
      for (const days of [0, 1, 6]) {
        service().advance(days * DAY)
        await deliver()
        delays.push((await row(id)).nextAttemptAt - context.now())
      }
      const [first = 0, second = 0, third = 0] = delays
      assert.ok(first <= 15_000 && second > 5 * MINUTE && third > 29 * MINUTE && third <= 30 * MINUTE, `${delays}`)
      assert.equal((await row(id)).failedAt, null)
      service().advance(DAY)
      await deliver()
      const { failedAt, encryptedEmail, attempts } = await row(id)
      assert.deepEqual([failedAt !== null, encryptedEmail, attempts], [true, null, 0])
    })

    test('A name that looks like an encoded word stays as it is in the subject of an email', async () => {
      const words = '=?utf-8?B?UGF5IGF0IGV2aWwuZXhhbXBsZQ==?= =?utf-8?Q?=E2=80=AEa?='
      for (const name of [words, `${words} é`]) {
        const { recipient } = await send(name)
        await deliver()
        assert.equal(received(recipient)[0]?.subject, `Invitation to ${name}`)
      }
    })

    test('A name with many spaces folds no header line of spaces only, which mail filters refuse', async () => {
      const { recipient } = await send(`a${' '.repeat(98)}b`)
      await deliver()
      const [message] = received(recipient)
      assert.equal(message?.subject, 'Invitation to a b')
      const [headers = ''] = message?.raw.split('\r\n\r\n') ?? []
      assert.doesNotMatch(headers, /^[ \t]+\r?$/m)
    })

    test('CVE-2022-31127: a name in an email adds no header and no recipient', async () => {
      const { recipient } = await send('Works\r\nBcc: victim@example.com\r\n\r\n<b>bold</b>')
      await deliver()
      const [message] = received(recipient)
      assert.deepEqual(message?.envelope.to, [recipient])
      assert.equal(message?.headers.bcc, undefined)
      assert.ok(!message?.html.includes('<b>bold</b>'))
    })
  })

  test("The dev mailbox shows the other emails when one can't be decrypted", async (t) => {
    const service = await startService({ engine: 'sqlite' })
    t.after(() => service.stop())
    const { context } = service
    const circumstances = { at: context.now(), ipAddress: null, userAgent: null }
    const [damaged, good] = [newEmail(), newEmail()]
    for (const recipient of [damaged, good])
      await sendTestEmail(context, resetPasswordEmail(recipient, 'http://localhost/', circumstances))
    await context.database.updateTable('outbox').set({ encryptedEmail: 'x' }).where('recipient', '=', damaged).execute()
    assert.deepEqual([(await service.emails(damaged)).length, (await service.emails(good)).length], [0, 1])
  })
})
