import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { CERTIFICATE } from '../../../test/support/certificate.ts'
import { OUTGOING_EMAIL as EMAIL } from '../../../test/support/outgoing-email.ts'
import { type SmtpScript, startSmtpScript } from '../../../test/support/smtp-script.ts'
import { until } from '../../../test/support/until.ts'
import { parseSmtpUrl } from '../config/smtp-server.ts'
import { createConversation } from './conversation.ts'
import { classifyFailure, type MailServerError } from './mail-server-error.ts'

const EXTENSIONS = ['250 ready', '250-ready\r\n250 PIPELINING']

test('A conversation takes no other 2xx for an acceptance than the one after the content', async (t) => {
  const { script, send } = await start(t)
  const twice = '250 taken\r\n250 taken'
  for (const EHLO of EXTENSIONS)
    for (const [replies, message] of [
      [{ DATA: '250 go ahead' }, /^The mail server answers DATA with “250 go ahead” instead of 354\.$/],
      [{ DATA: '220 ready' }, /^The mail server answers DATA with “220 ready” instead of 354\.$/],
      [
        { DATA: '354 go ahead\r\n250 taken' },
        /^The mail server responds with “250 taken” before the end of the email\.$/,
      ],
      [{ EHLO: `${EHLO}\r\n250 a\r\n250 b` }, /answers DATA with “250 /],
      [{ 'MAIL FROM': twice }, /answers DATA with “250 /],
      [{ 'RCPT TO': twice }, /answers DATA with “250 /],
      [{ 'MAIL FROM': twice, 'RCPT TO': twice }, /answers DATA with “250 /],
    ] as const) {
      script.replies = { EHLO, message: '554 5.6.0 refused', ...replies }
      await assert.rejects(send(), (error: MailServerError) => {
        assert.match(error.message, message, JSON.stringify(replies))
        return classifyFailure(error) === 'unclear'
      })
    }
})

test('A conversation takes no response for an acceptance that begins before the end of the content', async (t) => {
  const { server } = await start(t)
  const mail = createServer((socket) => {
    socket.write('220 ready\r\n')
    createInterface({ input: socket }).on('line', (line) => {
      if (line === 'DATA') socket.write('354 go ahead\r\n250 ta')
      else if (line === '.') socket.write('ken\r\n')
      else if (/^(?:EHLO|MAIL|RCPT) /.test(line)) socket.write('250 ok\r\n')
    })
  }).listen(0, '127.0.0.1')
  t.after(() => mail.close())
  await once(mail, 'listening')
  const { port } = mail.address() as AddressInfo
  const conversation = createConversation({ ...server, port })
  await assert.rejects(conversation.send(EMAIL), /responds with “250 taken” before the end of the email\.$/)
})

test('A conversation opens a new connection after a response before the end of the content', async (t) => {
  const { script, server } = await start(t)
  for (const EHLO of EXTENSIONS)
    for (const early of ['250 taken', '552 5.3.4 too large']) {
      script.replies = { EHLO, DATA: `354 go ahead\r\n${early}`, message: 'hang' }
      const conversation = createConversation(server)
      await assert.rejects(conversation.send(EMAIL), (error: MailServerError) => error.message.includes(early))
      script.replies = { EHLO }
      const before = script.connectionCount
      assert.equal(await conversation.send(EMAIL), '250 taken')
      assert.equal(script.connectionCount, before + 1)
      conversation.close()
    }
})

test('A conversation opens a new connection after a response too many to an accepted email, and no error is uncaught', async (t) => {
  const { script, server } = await start(t)
  for (const EHLO of EXTENSIONS) {
    script.replies = { EHLO, message: '250 taken\r\n250 taken' }
    const conversation = createConversation(server)
    assert.equal(await conversation.send(EMAIL), '250 taken')
    await until(() => script.openCount() === 0, 'the connection ends', 5)
    const before = script.connectionCount
    script.replies = { EHLO }
    assert.equal(await conversation.send(EMAIL), '250 taken')
    assert.equal(script.connectionCount, before + 1)
    conversation.close()
    await until(() => script.openCount() === 0, 'the second connection ends', 5)
  }
})

test('The last line decides on a response whose lines have different codes', async (t) => {
  const { script, send } = await start(t)
  for (const EHLO of EXTENSIONS) {
    for (const [command, stage] of [
      ['MAIL FROM', 'MAIL FROM'],
      ['RCPT TO', 'RCPT TO'],
      ['DATA', 'message'],
    ] as const) {
      script.replies = { EHLO, [stage]: '250-ok\r\n550 5.1.1 no' }
      await assert.rejects(send(), { command, response: '550-ok\n550 5.1.1 no' })
    }
    script.replies = { EHLO, 'RCPT TO': '550-no\r\n250 ok', message: '550-no\r\n250 ok' }
    assert.equal(await send(), '250-no\n250 ok')
    script.replies = { EHLO, message: '250-ok\r\nno code' }
    await assert.rejects(send(), (error: MailServerError) => classifyFailure(error) === 'unclear')
  }
})

test('A conversation reports the refusal of a recipient, although the server answers DATA with 250', async (t) => {
  const { script, send } = await start(t)
  script.replies = { EHLO: '250-ready\r\n250 PIPELINING', 'RCPT TO': '550 5.1.1 no such mailbox', DATA: '250 go ahead' }
  await assert.rejects(send(), { command: 'RCPT TO', response: '550 5.1.1 no such mailbox' })
})

test('A conversation sends an email of 5 MB, with and without encryption', async (t) => {
  const { script, send } = await start(t)
  for (const encryption of [{}, { EHLO: '250-ready\r\n250 STARTTLS', STARTTLS: '220 go ahead' }]) {
    script.replies = encryption
    assert.equal(await send({ ...EMAIL, text: 'A line of the email.\n'.repeat(250_000) }), '250 taken')
  }
  assert.equal(script.recipients.length, 2)
})

test('A conversation sends an email although the server sends lines without text after 354', async (t) => {
  const { script, send } = await start(t)
  script.replies.DATA = `354 go ahead${'\r\n '.repeat(100)}`
  assert.equal(await send(), '250 taken')
})

test('A second email of a connection has no more time than the first before its content is sent', async (t) => {
  const { script, server } = await start(t)
  let askedCount = 0
  const conversation = createConversation({ ...server, deadlineMilliseconds: 300, answerMilliseconds: 1 }, () => {
    askedCount += 1
    return true
  })
  await conversation.send(EMAIL)
  script.replies.DATA = 'hang'
  await assert.rejects(conversation.send(EMAIL), /took too long/)
  assert.equal(askedCount, 0)
  script.replies = { message: 'hang' }
  await assert.rejects(conversation.send(EMAIL), /took too long/)
  assert.equal(askedCount, 1)
})

async function start(t: TestContext) {
  const script: SmtpScript = await startSmtpScript()
  t.after(() => script.close())
  const server = {
    ...parseSmtpUrl('smtp://mail.example.com?tls=optional'),
    host: '127.0.0.1',
    port: script.port,
    tls: { ca: CERTIFICATE, servername: 'mail.example.com' },
    deadlineMilliseconds: 10_000,
  }
  const send = async (email = EMAIL) => {
    const conversation = createConversation(server)
    return conversation.send(email).finally(() => conversation.close())
  }
  return { script, server, send }
}
