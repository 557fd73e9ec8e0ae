import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { randomLetters } from '../../../test/support/random-letters.ts'
import { sendTestEmail } from '../../../test/support/send-email.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { type SmtpReply, type SmtpScript, startSmtpScript } from '../../../test/support/smtp-script.ts'
import { emailVerificationEmail } from '../../features/account/email/emails.ts'
import { parseSmtpUrl } from '../config/smtp-server.ts'
import { createDelivery, type Delivery } from './delivery.ts'
import { requeueFailedEmails } from './failed-emails.ts'

const HALF_HOUR = 30 * 60_000
const RELAY_DENIED = '554 5.7.1 relay access denied'

onEachDatabase('refusals that may concern the service', (service) => {
  let script: SmtpScript
  let delivery: Delivery
  before(async () => {
    script = await startSmtpScript()
  })
  after(() => script.close())
  beforeEach(async () => {
    script.replies = {}
    script.recipients.length = 0
    const { context } = service()
    await context.database.deleteFrom('outbox').execute()
    delivery = createDelivery(context, {
      ...parseSmtpUrl(`smtp://127.0.0.1:${script.port}`),
      deadlineMilliseconds: 2_000,
    })
  })
  afterEach(() => delivery.stop())

  const enqueue = async (domain: string) => {
    const recipient = `${randomLetters()}@${domain}`
    await sendTestEmail(service().context, emailVerificationEmail(recipient, 'http://localhost/'))
    return recipient
  }
  const row = async (recipient: string) =>
    service()
      .context.database.selectFrom('outbox')
      .selectAll()
      .where('recipient', '=', recipient)
      .executeTakeFirstOrThrow()
  const refuse = (domain: string, reply: SmtpReply) => {
    script.replies['RCPT TO'] = (line) => (line.includes(`${domain}>`) ? reply : undefined)
    script.replies.message = (_line, recipient) => (recipient.endsWith(domain) ? reply : undefined)
  }

  for (const reply of [RELAY_DENIED, '530 authentication required', '421 too many errors', 'disconnect'])
    test(`The refusal ${reply} of every email to one domain delays no other email`, async () => {
      refuse('evil.example', reply)
      for (const domain of ['evil.example', 'evil.example', 'a.evil.example', 'b.evil.example', 'evil.example']) {
        const refused = await enqueue(domain)
        await delivery.deliverDue()
        const { attempts, failedAt } = await row(refused)
        assert.deepEqual([attempts, failedAt], [1, null])
      }
      const recipient = await enqueue('example.com')
      await delivery.deliverDue()
      assert.deepEqual(script.recipients, [recipient])
    })

  test('A refusal with which the server ends the connection counts as one, also with pipelining', async () => {
    script.replies = { EHLO: '250-ready\r\n250 PIPELINING', 'MAIL FROM': { last: '550 5.7.1 sender blocked\r\n' } }
    const recipient = await enqueue('example.com')
    await delivery.deliverDue()
    const waiting = await row(recipient)
    assert.deepEqual([waiting.attempts, waiting.failedAt], [0, null])
    assert.match(waiting.lastError ?? '', /^The mail server is not available: .*: 550 5\.7\.1 sender blocked$/)
    script.replies = { EHLO: '250-ready\r\n250 PIPELINING', 'RCPT TO': { last: '550 5.1.1 no such mailbox\r\n' } }
    service().advance(10_000)
    await delivery.deliverDue()
    const failed = await row(recipient)
    assert.deepEqual([failed.attempts, failed.failedAt !== null], [1, true])
    assert.match(failed.lastError ?? '', /: 550 5\.1\.1 no such mailbox$/)
  })

  test('A refusal without an end of its line fails no email, because it may answer MAIL FROM', async () => {
    script.replies['MAIL FROM'] = { last: '550 5.1.1 blocked' }
    const recipient = await enqueue('example.com')
    await delivery.deliverDue()
    const { attempts, failedAt, lastError } = await row(recipient)
    assert.deepEqual([attempts, failedAt], [1, null])
    assert.match(lastError ?? '', /: 550 5\.1\.1 blocked$/)
  })

  test('An email that is refused again and again fails after two days, and can be sent again', async () => {
    refuse('evil.example', RELAY_DENIED)
    const { context } = service()
    const refused = await enqueue('evil.example')
    const start = context.now()
    while ((await row(refused)).failedAt === null) {
      assert.ok(context.now() - start < 3 * 86_400_000, 'the email fails after a bounded time')
      service().advance(1.25 * HALF_HOUR)
      await delivery.deliverDue()
    }
    assert.ok(context.now() - start > 86_400_000, 'a wrong configuration loses no email on the first day')
    const { id, attempts, lastError, encryptedEmail } = await row(refused)
    assert.ok(encryptedEmail !== null && lastError?.includes(RELAY_DENIED))
    assert.equal(attempts, 100)
    assert.deepEqual(await requeueFailedEmails(context.database, context.now(), id), [id])
    await delivery.deliverDue()
    const retried = await row(refused)
    assert.deepEqual([retried.failedAt, retried.attempts], [null, 1], 'it is refused once more, and waits again')
  })

  test('Refusals of three domains pause all emails until one is accepted', async () => {
    script.replies['RCPT TO'] = RELAY_DENIED
    for (const domain of ['one.example', 'two.example', 'three.example']) {
      await enqueue(domain)
      await delivery.deliverDue()
    }
    script.replies = {}
    const waiting = await enqueue('four.example')
    await delivery.deliverDue()
    assert.equal(script.recipients.length, 0, 'the delivery is paused')
    service().advance(10_000)
    await delivery.deliverDue()
    assert.equal(script.recipients.length, 4)
    assert.ok(script.recipients.includes(waiting))
    script.replies['RCPT TO'] = (line) => (line.includes('five') ? RELAY_DENIED : undefined)
    await enqueue('five.example')
    await delivery.deliverDue()
    await enqueue('six.example')
    await delivery.deliverDue()
    assert.equal(script.recipients.length, 5, 'an accepted email clears the refusals before it')
  })
})
