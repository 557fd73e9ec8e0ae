import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createTransport } from 'nodemailer'
import { startSmtpSink } from './smtp-sink.ts'

const message = {
  from: 'Accounts <accounts@example.com>',
  to: 'ada@example.com',
  subject: 'Grüße an Ada',
  text: `Your link: https://accounts.example.com/verify#${'x'.repeat(80)} – bis bald`,
  html: '<p>Schöne <b>Grüße</b></p>',
}

async function openSink(t: TestContext) {
  const sink = await startSmtpSink()
  t.after(() => sink.close())
  const transport = createTransport(sink.url)
  return { sink, send: () => transport.sendMail(message) }
}

test('The SMTP sink decodes an email with its envelope and headers', async (t) => {
  const { sink, send } = await openSink(t)

  const [arrived] = await Promise.all([sink.waitForEmail(({ subject }) => subject === message.subject), send()])

  assert.deepEqual(arrived.envelope, { from: 'accounts@example.com', to: ['ada@example.com'] })
  assert.equal(arrived.headers.to, 'ada@example.com')
  assert.equal(arrived.text.trim(), message.text)
  assert.equal(arrived.html.trim(), message.html)
  assert.match(arrived.raw, /quoted-printable|base64/)
  assert.deepEqual(sink.emails, [arrived])
})

test('waitForEmail lists the received emails when the expected email does not arrive', async (t) => {
  const { sink, send } = await openSink(t)
  await send()

  await assert.rejects(
    sink.waitForEmail(({ subject }) => subject === 'Another', 1),
    /ada@example.com: Grüße an Ada/,
  )
})

for (const status of [451, 550] as const) {
  test(`refuseWith(${status}) refuses emails until refuseWith(undefined)`, async (t) => {
    const { sink, send } = await openSink(t)

    sink.refuseWith(status)
    await assert.rejects(send(), { responseCode: status })
    sink.refuseWith(undefined)
    await send()

    assert.equal(sink.emails.length, 1)
  })
}

test('close refuses connections and reopen accepts them on the same port', async (t) => {
  const { sink, send } = await openSink(t)

  await sink.close()
  await assert.rejects(send(), { code: 'ESOCKET' })
  await sink.reopen()
  await send()

  assert.equal(sink.emails.length, 1)
})
