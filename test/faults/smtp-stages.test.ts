import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { emailVerificationEmail } from '../../server/features/account/email/emails.ts'
import { parseSmtpUrl, type SmtpServer } from '../../server/platform/config/smtp-server.ts'
import { createDelivery } from '../../server/platform/mail/delivery.ts'
import { MINUTE_MILLISECONDS } from '../../server/platform/time/time-units.ts'
import { randomLetters } from '../support/random-letters.ts'
import { sendTestEmail } from '../support/send-email.ts'
import { onEachDatabase } from '../support/service.ts'
import { type SmtpReply, type SmtpScript, type SmtpStage, startSmtpScript } from '../support/smtp-script.ts'
import { until } from '../support/until.ts'

const HANG_MILLISECONDS = 400

onEachDatabase('SMTP stages', (service, engine) => {
  let script: SmtpScript
  let server: SmtpServer
  /**
   * A server with a short deadline, for replies that hang. On a busy machine, other replies would miss this deadline.
   */
  let impatient: SmtpServer
  before(async () => {
    script = await startSmtpScript()
    server = parseSmtpUrl(`smtp://relay:secret@127.0.0.1:${script.port}`)
    impatient = { ...server, deadlineMilliseconds: HANG_MILLISECONDS, answerMilliseconds: 1 }
  })
  after(() => script.close())
  beforeEach(async () => {
    script.replies = {}
    script.recipients.length = 0
    script.connectionCount = 0
    await service().context.database.deleteFrom('outbox').execute()
  })

  const enqueue = async (count: number) => {
    const { context } = service()
    const recipients = Array.from({ length: count }, () => `ada@${randomLetters()}.example`)
    for (const recipient of recipients)
      await sendTestEmail(context, emailVerificationEmail(recipient, 'http://localhost/'))
    return recipients
  }
  const rows = () => service().context.database.selectFrom('outbox').selectAll().execute()
  const row = async (recipient: string) => (await rows()).find((email) => email.recipient === recipient)
  const deliverOnce = async () => {
    const delivery = createDelivery(service().context, server)
    await delivery.deliverDue()
    await delivery.stop()
  }

  for (const [code, column] of [
    ['250', 'sentAt'],
    ['550', 'failedAt'],
  ] as const)
    test(`A response with ${code} and control characters is stored without them`, async () => {
      const [recipient = ''] = await enqueue(1)
      script.replies = { message: `${code} the\0 mail \x1b[31mserver` }
      await deliverOnce()
      const stored = await row(recipient)
      assert.ok(stored?.[column])
      assert.match(stored.lastError ?? '', /^\P{Cc}*\d{3} the {1,2}mail {1,2}\[31mserver$/u)
    })

  test('A response of a megabyte is stored shortened', async () => {
    const [recipient = ''] = await enqueue(1)
    script.replies['RCPT TO'] = `550 ${'x'.repeat(900_000)}`
    await deliverOnce()
    const { failedAt, lastError } = (await row(recipient)) ?? {}
    assert.ok(failedAt)
    assert.ok((lastError ?? '').length <= 1_000)
  })

  test('A 421 to a pipelined MAIL FROM is a refusal of the service', async () => {
    const [recipient = ''] = await enqueue(1)
    script.replies = { EHLO: '250-ready\r\n250-AUTH PLAIN\r\n250 PIPELINING', 'MAIL FROM': '421 4.3.2 shutting down' }
    await deliverOnce()
    const { attempts, lastError } = (await row(recipient)) ?? {}
    assert.equal(attempts, 0)
    assert.match(lastError ?? '', /421 4\.3\.2 shutting down/)
  })

  /** A missing reply takes most of the time of these tests, and one engine shows what follows from it. */
  const isForEngine = ([, reply]: [SmtpStage, SmtpReply]) => reply !== 'hang' || engine === 'sqlite'
  const faults: [SmtpStage, SmtpReply][] = [
    ['greeting', '554 no service for you'],
    ['greeting', '421 too many connections'],
    ['EHLO', '421 later'],
    ['EHLO', '550 who are you'],
    ['EHLO', '250 without sign-in'],
    ['AUTH', '535 wrong password'],
    ['AUTH', '454 later'],
    ['MAIL FROM', '530 authentication required'],
    ['MAIL FROM', '552 quota exceeded'],
    ['MAIL FROM', '550 sender not known'],
    ...everyFailure(['greeting', 'EHLO', 'AUTH']),
  ]
  const unclearFaults: [SmtpStage, SmtpReply][] = [
    ['RCPT TO', '554 5.7.1 relay access denied'],
    ['RCPT TO', '550 relay not permitted'],
    ['RCPT TO', '530 authentication required'],
    ['RCPT TO', '421 shutting down'],
    ['message', '550 5.7.26 this domain has no DMARC record'],
    ['RCPT TO', '999 no code of SMTP'],
    ['message', '354 the answer to another command'],
    ...everyFailure(['MAIL FROM', 'RCPT TO', 'DATA', 'message']),
  ]
  for (const [stage, reply] of faults.filter(isForEngine))
    test(`${nameOf(reply)} at ${stage} loses no email, counts no attempt and is not repeated for each email`, async () => {
      for (const { attempts } of await fail20Emails(stage, reply)) assert.equal(attempts, 0)
    })

  for (const [stage, reply] of unclearFaults.filter(isForEngine))
    test(`${nameOf(reply)} at ${stage} loses no email, counts attempts and is not repeated for each email`, async () => {
      const counts = (await fail20Emails(stage, reply)).map(({ attempts }) => attempts)
      const total = counts.reduce((sum, attempts) => sum + attempts, 0)
      assert.ok(total >= 3 && total <= 10, `${total} attempts`)
    })

  /** Sends 20 emails to a server that fails. @returns the emails before the delivery that succeeds */
  async function fail20Emails(stage: SmtpStage, reply: SmtpReply) {
    const recipients = await enqueue(20)
    script.replies[stage] = reply
    // The client sends HELO after a refused EHLO.
    if (stage === 'EHLO') script.replies.HELO = reply
    const delivery = createDelivery(service().context, reply === 'hang' ? impatient : server)
    await delivery.deliverDue()
    await delivery.deliverDue()
    // Each of the five conversations can fail once more before the failures of three domains pause the others.
    assert.ok(script.connectionCount <= 7, `${script.connectionCount} connections`)
    for (let round = 0; round < 3; round += 1) {
      service().advance(2 * MINUTE_MILLISECONDS)
      const before = script.connectionCount
      await delivery.deliverDue()
      assert.ok(script.connectionCount - before <= 1, 'at most one connection per delivery')
    }
    const emails = await rows()
    for (const email of emails) assert.deepEqual([email.failedAt, email.encryptedEmail !== null], [null, true])

    script.replies = {}
    service().advance(2 * MINUTE_MILLISECONDS)
    await delivery.deliverDue()
    await delivery.stop()
    assert.deepEqual(script.recipients.toSorted(), recipients.toSorted())
    return emails
  }

  for (const [stage, reply] of [
    ['RCPT TO', '550 5.1.1 no such mailbox'],
    ['RCPT TO', '552 5.2.2 mailbox full'],
    ['DATA', '554 no valid recipients'],
    ['message', '554 5.7.1 this looks like spam'],
  ] as const) {
    test(`SMTP reply ${reply} at ${stage} fails this email and delays no other`, async () => {
      const recipients = await enqueue(8)
      const refused = recipients[3] ?? ''
      refuse(refused, stage, reply)
      await deliverOnce()
      assert.deepEqual(script.recipients.toSorted(), recipients.filter((recipient) => recipient !== refused).toSorted())
      const email = await row(refused)
      assert.ok(email?.failedAt)
      assert.ok(email.lastError?.includes(reply))
      assert.ok(email.encryptedEmail, 'the text stays, so that the email can be sent again')
    })
  }

  for (const [stage, reply] of [
    ['RCPT TO', '450 try again'],
    ['RCPT TO', '452 4.2.2 mailbox full'],
    ['message', '451 local error'],
  ] as const) {
    test(`SMTP reply ${reply} at ${stage} defers this email and delays no other`, async () => {
      const recipients = await enqueue(8)
      const deferred = recipients[3] ?? ''
      refuse(deferred, stage, reply)
      await deliverOnce()
      assert.equal(script.recipients.length, 7)
      const email = await row(deferred)
      assert.deepEqual([email?.failedAt, email?.attempts], [null, 1])
      script.replies = {}
      service().advance(MINUTE_MILLISECONDS)
      await deliverOnce()
      assert.equal(script.recipients.at(-1), deferred)
    })
  }

  test('A missing reply for one recipient counts an attempt for its email and delays no other', async () => {
    const recipients = await enqueue(30)
    const broken = recipients[0] ?? ''
    refuse(broken, 'RCPT TO', 'hang')
    // On a busy machine the other conversations would miss a short deadline too.
    const delivery = createDelivery(service().context, { ...server, deadlineMilliseconds: 5 * HANG_MILLISECONDS })
    const delivered = delivery.deliverDue()
    await until(() => script.recipients.length === 29, 'the others are delivered')
    await delivered
    await delivery.stop()
    assert.equal((await row(broken))?.attempts, 1)
  })

  test('An email is deferred at most 100 times', async () => {
    const [recipient = ''] = await enqueue(1)
    script.replies['RCPT TO'] = '450 try again'
    await service().context.database.updateTable('outbox').set({ attempts: 99 }).execute()
    await deliverOnce()
    assert.ok((await row(recipient))?.failedAt)
  })

  /** Refuses one recipient. At the message stage the line names no recipient, so the last one counts. */
  function refuse(recipient: string, stage: SmtpStage, reply: SmtpReply): void {
    if (stage === 'RCPT TO') {
      script.replies['RCPT TO'] = (line) => (line.includes(recipient) ? reply : undefined)
      return
    }
    script.replies[stage] = (_line, lastRecipient) => (lastRecipient === recipient ? reply : undefined)
  }
})

/** What the mail server does, at the beginning of the name of a test. */
function nameOf(reply: SmtpReply): string {
  if (reply === 'hang') return 'No SMTP reply'
  return reply === 'disconnect' ? 'A disconnect' : `SMTP reply ${reply}`
}

function everyFailure(stages: SmtpStage[]): [SmtpStage, SmtpReply][] {
  return stages.flatMap((stage) => [
    [stage, 'disconnect'],
    [stage, 'hang'],
  ])
}
