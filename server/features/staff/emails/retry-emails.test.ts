import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { startSmtpSink } from '../../../../test/support/smtp-sink.ts'
import { statementsOf } from '../../../../test/support/statements.ts'
import { administrator, newEmail, newMember } from '../../../../test/support/users.ts'
import { OPERATOR } from '../../../core/audit/actor.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { maintain } from '../../../maintenance.ts'
import { parseSmtpUrl } from '../../../platform/config/smtp-server.ts'
import { createDelivery } from '../../../platform/mail/delivery.ts'
import { prepareEmail } from '../../../platform/mail/outbox.ts'
import { setPasswordEmail } from '../../account/email/emails.ts'
import { retryFailedEmails } from './retry-emails.ts'

const RETRY = '/api/auth/admin/retry-email'
const DAY = 86_400_000

onEachDatabase('retry-email', (service) => {
  /** The email of a password reset, refused by the mail server. */
  async function failedReset() {
    const { context } = service()
    const sink = await startSmtpSink()
    const delivery = createDelivery(context, parseSmtpUrl(sink.url))
    const { email } = await newMember(service())
    await delivery.deliverDue()
    await service().client().post('/api/auth/request-password-reset', { email })
    sink.refuseWith(550)
    await delivery.deliverDue()
    sink.refuseWith(undefined)
    const { id } = await context.database
      .selectFrom('outbox')
      .select('id')
      .where('recipient', '=', email)
      .where('failedAt', 'is not', null)
      .executeTakeFirstOrThrow()
    const received = () =>
      sink.emails.filter(({ envelope, subject }) => envelope.to.includes(email) && subject === 'Set a new password')
    const end = async () => {
      await delivery.stop()
      await sink.close()
    }
    return { emailId: id, delivery, received, end }
  }

  test('retry-email sends a failed email again once and records an audit event', async (t) => {
    const { emailId, delivery, received, end } = await failedReset()
    t.after(end)
    const other = await failedReset()
    t.after(other.end)
    const { client, id } = await administrator(service())
    const answer = await client.post(RETRY, { emailId })
    assert.deepEqual([answer.status, answer.body.status], [200, true])
    assert.match(answer.body.message, /link in it may have expired/)
    assert.equal((await client.post(RETRY, { emailId })).body.code, 'EMAIL_NOT_FOUND')
    assert.equal((await client.post(RETRY, { emailId: other.emailId })).status, 200, 'another email has still failed')
    await delivery.deliverDue()
    assert.equal(received().length, 1)
    assert.equal((await client.post(RETRY, { emailId })).status, 404)
    const events = await service()
      .context.database.selectFrom('auditEvents')
      .select('actorId')
      .where('action', '=', 'email.retried')
      .where('subjectId', '=', emailId)
      .execute()
    assert.deepEqual(
      events.map(({ actorId }) => actorId),
      [id],
    )
  })

  test('retry-email returns EMAIL_NOT_FOUND after the text of the email was purged', async (t) => {
    const { emailId, end } = await failedReset()
    t.after(end)
    service().advance(DAY)
    await maintain(service().context)
    const { client } = await administrator(service())
    const { status, body } = await client.post(RETRY, { emailId })
    assert.deepEqual([status, body.code, body.field], [404, 'EMAIL_NOT_FOUND', 'emailId'])
  })

  test('A retry of all failed emails leaves those of a form that named an unknown address, which have no text', async () => {
    const { context } = service()
    await service().client().post('/api/auth/request-password-reset', { email: newEmail() })
    await retryFailedEmails(context, OPERATOR)
    const unknown = context.database.selectFrom('outbox').where('recipient', '=', '')
    const rows = await unknown.select(['encryptedEmail', 'failedAt']).execute()
    assert.ok(rows.length > 0)
    for (const { encryptedEmail, failedAt } of rows) assert.deepEqual([encryptedEmail, failedAt !== null], [null, true])
  })

  test('A retry of all failed emails records their audit events in one statement', async (t) => {
    const { context } = service()
    const ids = await inTransaction(context, OPERATOR, async ({ transaction, send }) => {
      const email = prepareEmail(context, setPasswordEmail(newEmail(), 'https://accounts.example.com/', false))
      const sent = [await send(email), await send(email), await send(email)]
      await transaction.updateTable('outbox').set({ failedAt: context.now() }).where('id', 'in', sent).execute()
      return sent
    })
    const statements = await statementsOf(t, service(), () => retryFailedEmails(context, OPERATOR))
    assert.equal(statements.filter(({ sql }) => sql.startsWith('insert into "auditEvents"')).length, 1)
    const events = await context.database
      .selectFrom('auditEvents')
      .select('subjectId')
      .where('action', '=', 'email.retried')
      .where('subjectId', 'in', ids)
      .execute()
    assert.deepEqual(events.map(({ subjectId }) => subjectId).toSorted(), ids.toSorted())
  })
})
