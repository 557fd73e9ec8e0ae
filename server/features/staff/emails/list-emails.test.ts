import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDelivery } from '../../../../test/support/delivery.ts'
import { sendTestEmail } from '../../../../test/support/send-email.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { administrator, newEmail, newUser, type TestUser } from '../../../../test/support/users.ts'
import type { EmailKind } from '../../../platform/mail/email.ts'

const LIST = '/api/auth/admin/list-emails'
const TEST = '/api/auth/admin/send-test-email'

interface Listed {
  id: string
  kind: string
  recipient: string
  status: string
  answer: string | null
  nextAttemptAt: string | null
  canRetry: boolean
}

onEachDatabase('list-emails', (service) => {
  const send = (recipient: string, kind: EmailKind) =>
    sendTestEmail(service().context, { kind, recipient, subject: 'S', heading: 'H', paragraphs: [], footnote: 'F' })

  async function list({ client }: TestUser, query: string): Promise<Listed[]> {
    const { status, body } = await client.get(`${LIST}?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.emails
  }

  test('list-emails shows the status of each email and the answer of the mail server', async (t) => {
    const { sink, delivery } = await startDelivery(t, service())
    const admin = await administrator(service())
    const recipient = newEmail()
    const stateOf = async (id: string) => {
      const found = (await list(admin, `recipient=${recipient}`)).find((email) => email.id === id)
      return [found?.status, found?.answer?.slice(0, 3), found?.canRetry, found?.nextAttemptAt !== null]
    }
    const sent = await send(recipient, 'email changed')
    assert.deepEqual(await stateOf(sent), ['queued', undefined, false, true])
    await delivery.deliverDue()
    assert.deepEqual(await stateOf(sent), ['sent', '250', false, false])
    sink.refuseWith(550)
    const failed = await send(recipient, 'password changed')
    await delivery.deliverDue()
    assert.deepEqual(await stateOf(failed), ['failed', '550', true, false])
    sink.refuseWith(451)
    const delayed = await send(recipient, 'passkey added')
    await delivery.deliverDue()
    assert.deepEqual(await stateOf(delayed), ['delayed', '451', false, true])

    for (const [status, id, kind] of [
      ['sent', sent, 'email changed'],
      ['failed', failed, 'password changed'],
      ['delayed', delayed, 'passkey added'],
    ] as const) {
      const ids = (await list(admin, `status=${status}&kind=${encodeURIComponent(kind)}`)).map((email) => email.id)
      assert.deepEqual(ids, [id], status)
      assert.ok((await list(admin, `status=${status}`)).every((email) => email.status === status))
    }
    assert.deepEqual(await list(admin, `recipient=${recipient}&status=queued`), [])
  })

  test('list-emails returns newest first a page at a time, and never an email without a recipient', async () => {
    const admin = await administrator(service())
    const ids = []
    for (let count = 0; count < 3; count += 1) {
      service().advance(1000)
      ids.unshift(await send(newEmail(), 'invitation'))
    }
    const pages = [0, 1, 2].map((offset) => admin.client.get(`${LIST}?kind=invitation&limit=1&offset=${offset}`))
    const answers = (await Promise.all(pages)).map(({ body }) => [body.emails[0].id, body.hasMore])
    assert.deepEqual(
      answers,
      ids.map((id, index) => [id, index < 2]),
    )
    await service().client().post('/api/auth/request-password-reset', { email: newEmail() })
    for (const query of ['', 'status=failed']) {
      const emails = await list(admin, query)
      assert.ok(emails.every(({ recipient }) => recipient.includes('@')))
    }
    assert.equal((await admin.client.get(`${LIST}?recipent=x`)).body.field, 'recipent')
  })

  test('list-user-emails returns the emails to the address of a user', async () => {
    const admin = await administrator(service())
    const email = newEmail()
    const userId = await newUser(service(), { email })
    const id = await send(email, 'test email')
    const { body } = await admin.client.get(`/api/auth/admin/list-user-emails?userId=${userId}`)
    assert.deepEqual(
      (body.emails as Listed[]).map((found) => [found.id, found.recipient]),
      [[id, email]],
    )
    const unknown = await admin.client.get('/api/auth/admin/list-user-emails?userId=usr_none')
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'USER_NOT_FOUND'])
  })

  test('send-test-email sends an email to the address of the caller, five an hour', async () => {
    service().advance(7_200_000)
    const { client, email } = await administrator(service())
    const { status, body } = await client.post(TEST)
    assert.deepEqual([status, body.status, body.recipient], [200, true, email])
    const [message] = await service().emails(email)
    assert.deepEqual([message?.id, message?.subject], [body.emailId, 'Test email'])
    assert.match(body.emailId, /^eml_/)
    for (let count = 0; count < 4; count += 1) assert.equal((await client.post(TEST)).status, 200)
    const refused = await client.post(TEST)
    assert.deepEqual([refused.status, refused.body.code], [429, 'TOO_MANY_REQUESTS'])
  })
})
