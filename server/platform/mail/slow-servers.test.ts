import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { sendTestEmail } from '../../../test/support/send-email.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { type SmtpScript, startSmtpScript } from '../../../test/support/smtp-script.ts'
import { until } from '../../../test/support/until.ts'
import { newEmail } from '../../../test/support/users.ts'
import { emailVerificationEmail } from '../../features/account/email/emails.ts'
import { parseSmtpUrl } from '../config/smtp-server.ts'
import { createDelivery } from './delivery.ts'
import { leaseEmail, markSent, renewLease } from './lease-email.ts'

const LEASE = 120_000

onEachDatabase('slow mail servers', (service) => {
  let script: SmtpScript
  before(async () => {
    script = await startSmtpScript()
  })
  after(() => script.close())
  beforeEach(async () => {
    Object.assign(script, { replies: {}, recipients: [], endHanging: [], connectionCount: 0 })
    await service().context.database.deleteFrom('outbox').execute()
  })

  const server = () => parseSmtpUrl(`smtp://127.0.0.1:${script.port}`)
  const enqueue = async () => {
    const recipient = newEmail()
    await sendTestEmail(service().context, emailVerificationEmail(recipient, 'http://localhost/'))
    return recipient
  }
  const row = (recipient: string) =>
    service()
      .context.database.selectFrom('outbox')
      .selectAll()
      .where('recipient', '=', recipient)
      .executeTakeFirstOrThrow()

  test('two processes send an email once, although its attempt takes longer than a lease', async () => {
    const { context, advance } = service()
    const [slow, other] = [createDelivery(context, server(), 10), createDelivery(context, server())]
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

  test('a lease is not renewed after its attempt, nor by a process that lost it', async () => {
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
})
