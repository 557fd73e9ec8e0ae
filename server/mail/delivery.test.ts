import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newEmail } from '../../test/support/people.ts'
import { onEachDatabase } from '../../test/support/service.ts'
import { type SmtpSink, startSmtpSink } from '../../test/support/smtp-sink.ts'
import { createDelivery, delayBefore } from './delivery.ts'
import { invitationLetter } from './letters/invitation.ts'
import { enqueueLetter, leaseLetter } from './outbox.ts'

let sink: SmtpSink
before(async () => {
  sink = await startSmtpSink()
})
after(() => sink.close())

onEachDatabase('The outbox', (service) => {
  const send = async (organizationName = 'Example Works') => {
    const recipient = newEmail()
    const letter = invitationLetter({
      recipient,
      inviterName: 'Ada Admin',
      organizationName,
      role: 'member',
      link: 'http://localhost/invite/x.y',
    })
    const id = await enqueueLetter(service().context.database, service().context, letter)
    return { id, recipient }
  }
  const row = (id: string) =>
    service().context.database.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const deliver = async () => {
    const delivery = createDelivery(service().context, sink.url)
    await delivery.deliverDue()
    await delivery.stop()
  }
  const received = (recipient: string) => sink.letters.filter(({ envelope }) => envelope.to.includes(recipient))

  test('hands letters to the mail server, then forgets what they said', async () => {
    const { id, recipient } = await send()
    await deliver()
    const [letter] = received(recipient)
    assert.equal(letter?.subject, 'Ada Admin invites you to Example Works')
    assert.match(letter?.text ?? '', /http:\/\/localhost\/invite\/x\.y/)
    assert.match(letter?.html ?? '', /See the invitation/)
    assert.match(letter?.headers['message-id'] ?? '', new RegExp(`^<${id}@localhost>$`))
    const { sentAt, sealedLetter, lastError } = await row(id)
    assert.ok(sentAt)
    assert.equal(sealedLetter, null)
    assert.match(lastError ?? '', /^250/)
  })

  test('holds letters sealed: the link in them is not in the database', async () => {
    const { id } = await send('Sealed Works')
    assert.ok(!JSON.stringify(await row(id)).match(/invite|Sealed/))
    await deliver()
  })

  test('keeps a letter while the mail server is down, and delivers it later', async () => {
    const { id, recipient } = await send()
    await sink.close()
    await deliver()
    await sink.reopen()
    const waiting = await row(id)
    assert.equal(waiting.sentAt, null)
    assert.equal(waiting.attempts, 1)
    assert.match(waiting.lastError ?? '', /ECONNREFUSED/)
    assert.ok(waiting.nextAttemptAt > service().context.now())
    await deliver()
    assert.equal(received(recipient).length, 0, 'it is not tried before its time')
    service().advance(10_000)
    await deliver()
    assert.equal(received(recipient).length, 1)
  })

  test('tries again after a temporary refusal, and gives up on a permanent one, keeping the answer', async () => {
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
    assert.equal(failed.sealedLetter, null)
    service().advance(86_400_000)
    await deliver()
    assert.equal(received(recipient).length, 0)
  })

  test('gives each letter to one of many workers', async () => {
    const recipients = await Promise.all(Array.from({ length: 10 }, async () => (await send()).recipient))
    await Promise.all([deliver(), deliver(), deliver(), deliver()])
    for (const recipient of recipients) assert.equal(received(recipient).length, 1)
  })

  test('gives a letter to another worker when the one that took it has died', async () => {
    const { id } = await send()
    const lease = 120_000
    assert.equal((await leaseLetter(service().context, lease))?.id, id)
    assert.equal(await leaseLetter(service().context, lease), undefined)
    service().advance(lease)
    assert.equal((await leaseLetter(service().context, lease))?.id, id)
    service().advance(lease)
    await deliver()
  })

  test('CVE-2022-31127: lets no name add a header or a recipient', async () => {
    const { recipient } = await send('Works\r\nBcc: victim@example.com\r\n\r\n<b>bold</b>')
    await deliver()
    const [letter] = received(recipient)
    assert.deepEqual(letter?.envelope.to, [recipient])
    assert.equal(letter?.headers.bcc, undefined)
    assert.ok(!letter?.html.includes('<b>bold</b>'))
  })
})

test('The wait before another attempt doubles up to half an hour, give or take a quarter', () => {
  assert.deepEqual(
    [1, 2, 3].map((attempts) => delayBefore(attempts, 127.5)),
    [5_000, 10_000, 20_000],
  )
  assert.equal(delayBefore(50, 127.5), 1_800_000)
  assert.deepEqual([delayBefore(1, 0), delayBefore(1, 255)], [3_750, 6_250])
})
