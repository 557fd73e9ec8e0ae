import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { CERTIFICATE } from '../../../test/support/certificate.ts'
import { OUTGOING_EMAIL as EMAIL } from '../../../test/support/outgoing-email.ts'
import { type SmtpScript, startSmtpScript } from '../../../test/support/smtp-script.ts'
import { until } from '../../../test/support/until.ts'
import { findSmtpServer, findSmtpUrlProblem, parseSmtpUrl, type SmtpServer } from '../config/smtp-server.ts'
import { checkMailServer } from './check-mail-server.ts'
import { createConversation } from './conversation.ts'
import type { MailServerError } from './mail-server-error.ts'

const OFFERING_TLS = { EHLO: '250-ready\r\n250-AUTH PLAIN\r\n250 STARTTLS', STARTTLS: '220 go ahead' }

describe('SMTP_URL', () => {
  test('parseSmtpUrl returns host, port, user and password, decoded', () => {
    const { host, port, secure, auth } = parseSmtpUrl('smtp://re%40lay:p%40ss%25@mail.example.com')
    assert.deepEqual([host, port, secure, auth], ['mail.example.com', 587, false, { user: 're@lay', pass: 'p@ss%' }])
    const tls = parseSmtpUrl('smtps://[2001:db8::1]')
    assert.deepEqual([tls.host, tls.port, tls.secure, tls.auth], ['2001:db8::1', 465, true, undefined])
  })

  test('parseSmtpUrl requires STARTTLS for every host but this machine', () => {
    const required = [
      'smtp://mail.example.com',
      'smtp://10.0.0.5:25',
      'smtp://localhost.example.com',
      'smtp://127.0.0.1.example.com',
      'smtp://%6Cocalhost',
      'smtp://notlocalhost',
      'smtp://user:password@mail.example.com?tls=optional',
      'smtp://user@mail.example.com?tls=optional',
      'smtp://:password@mail.example.com?tls=optional',
    ]
    const notRequired = [
      'smtp://localhost:25',
      'smtp://LOCALHOST',
      'smtp://mail.localhost',
      'smtp://127.0.0.2',
      'smtp://[::1]',
      'smtp://user:password@localhost',
      'smtp://mail.example.com?tls=optional',
    ]
    for (const url of required) assert.equal(parseSmtpUrl(url).requireTLS, true, url)
    for (const url of notRequired) assert.equal(parseSmtpUrl(url).requireTLS, false, url)
  })

  test('parseSmtpUrl verifies the certificate, except of a server on this machine without a password', () => {
    const isVerified = (url: string) => parseSmtpUrl(url).tls?.rejectUnauthorized !== false
    for (const url of ['smtp://localhost', 'smtp://127.0.0.1:25', 'smtp://[::1]']) assert.ok(!isVerified(url), url)
    for (const url of ['smtp://user:password@localhost', 'smtps://localhost', 'smtp://mail.example.com?tls=optional'])
      assert.ok(isVerified(url), url)
  })

  test('parseSmtpUrl gives the server more than half a minute for its greeting', () => {
    const { connectionTimeout = 0, greetingTimeout = 0, deadlineMilliseconds } = parseSmtpUrl('smtp://mail.example.com')
    assert.ok(Math.min(connectionTimeout, greetingTimeout, deadlineMilliseconds) > 30_000)
  })

  test('findSmtpUrlProblem refuses a user without a password, with which no email is sent', () => {
    for (const url of ['smtp://user@a.example', 'smtp://user:@a.example', 'smtp://:password@localhost'])
      assert.match(findSmtpUrlProblem(url) ?? '', /^has a user without a password, or a password without a user/, url)
  })

  test('findSmtpUrlProblem refuses everything after the port but ?tls=optional', () => {
    for (const url of ['smtp://a.example', 'smtp://a.example/', 'smtps://u:p@a.example:465?tls=optional'])
      assert.equal(findSmtpUrlProblem(url), undefined, url)
    for (const url of [
      'smtp://',
      'smtp://a.example?tls=none',
      'smtp://a.example?ignoreTLS=true',
      'smtp://a.example?tls.rejectUnauthorized=false',
      'smtp://a.example/path',
      'smtp://a.example#tls=optional',
      'smtp://u:100%@a.example',
    ])
      assert.equal(typeof findSmtpUrlProblem(url), 'string', url)
  })
})

describe('SMTP conversation', () => {
  test('A conversation without an offer of STARTTLS fails before password and email are sent', async (t) => {
    const { script, server } = await remote(t)
    await assert.rejects(send(server), ({ stage, message }: MailServerError) => {
      assert.match(message, /could not be encrypted/)
      return stage === 'session'
    })
    assertNothingSaid(script)
  })

  test('A conversation whose STARTTLS is refused fails before password and email are sent', async (t) => {
    const { script, server } = await remote(t)
    script.replies = { ...OFFERING_TLS, STARTTLS: '454 not now' }
    await assert.rejects(send(server), /could not be encrypted/)
    assertNothingSaid(script)
  })

  test('A conversation with a self-signed certificate fails before password and email are sent', async (t) => {
    const { script, server } = await remote(t)
    script.replies = OFFERING_TLS
    await assert.rejects(send(server), /self-signed/)
    assertNothingSaid(script)
  })

  test('A conversation with the certificate of another host fails before password and email are sent', async (t) => {
    const { script, server } = await remote(t)
    script.replies = OFFERING_TLS
    const tls = { ca: CERTIFICATE, servername: 'other.example.com' }
    await assert.rejects(send({ ...server, tls }), /does not match/)
    assertNothingSaid(script)
  })

  test('A conversation sends password and email over the encrypted connection', async (t) => {
    const { script, server } = await remote(t)
    script.replies = OFFERING_TLS
    const tls = { ca: CERTIFICATE, servername: 'mail.example.com' }
    assert.match(await send({ ...server, tls }), /^250/)
    assert.deepEqual(script.recipients, [EMAIL.to])
    const secrets = script.lines.filter(({ text }) => /^(AUTH|MAIL|RCPT|DATA)/.test(text))
    assert.equal(secrets.length, 4)
    assert.ok(secrets.every(({ isEncrypted }) => isEncrypted))
    assert.deepEqual(await checkMailServer({ ...server, tls }, EMAIL.from), { isEncrypted: true })
  })

  test('A conversation with a password fails at a server that offers no sign-in, before the email is sent', async (t) => {
    const { script, server } = await remote(t, 'smtp://relay:secret@localhost')
    script.replies.EHLO = '250 ready'
    for (const attempt of [send(server), checkMailServer(server, EMAIL.from)])
      await assert.rejects(attempt, ({ stage, message }: MailServerError) => {
        assert.match(message, /^The mail server offers no sign-in/)
        return stage === 'session'
      })
    assertNothingSaid(script)
  })

  test('A conversation is not encrypted with ?tls=optional and without a password', async (t) => {
    const { script, server } = await remote(t, 'smtp://mail.example.com?tls=optional')
    assert.match(await send(server), /^250/)
    assert.deepEqual(script.recipients, [EMAIL.to])
  })

  test('A conversation with a server on this machine that requires encryption sends the email, also with a self-signed certificate', async (t) => {
    const { script, server } = await remote(t, 'smtp://localhost')
    script.replies = {
      ...OFFERING_TLS,
      'MAIL FROM': () =>
        script.lines.at(-1)?.isEncrypted ? undefined : '530 5.7.0 Must issue a STARTTLS command first',
    }
    assert.match(await send(server), /^250/)
    assert.deepEqual(script.recipients, [EMAIL.to])
    assert.deepEqual(await checkMailServer(server, EMAIL.from), { isEncrypted: true })
  })

  test('A conversation with a server on this machine sends the email, also with an old version of TLS', async (t) => {
    const { script, server } = await remote(t, 'smtp://localhost')
    script.replies = OFFERING_TLS
    script.encryption = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }
    assert.match(await send(server), /^250/)
    assert.deepEqual(await checkMailServer(server, EMAIL.from), { isEncrypted: true })
  })

  test('A conversation with a server on this machine sends the email without encryption if it offers or gives none', async (t) => {
    const { script, server } = await remote(t, 'smtp://localhost')
    assert.match(await send(server), /^250/)
    script.replies = { ...OFFERING_TLS, STARTTLS: '454 TLS not available due to local problem' }
    assert.match(await send(server), /^250/)
    assert.deepEqual(await checkMailServer(server, EMAIL.from), { isEncrypted: false })
    assert.equal(script.recipients.length, 2)
  })

  test('A conversation introduces the service by the host name of BASE_URL, unless only this machine can reach it', async (t) => {
    const { script } = await remote(t)
    const smtpUrl = `smtp://127.0.0.1:${script.port}`
    const introduce = async (server: SmtpServer | undefined) => {
      assert.ok(server)
      await checkMailServer(server, EMAIL.from)
      return script.lines.findLast(({ text }) => text.startsWith('EHLO'))?.text
    }
    const named = findSmtpServer({ smtpUrl, baseUrl: 'https://accounts.example.com:8443' })
    assert.equal(await introduce(named), 'EHLO accounts.example.com')
    const nameOfMachine = await introduce(parseSmtpUrl(smtpUrl))
    for (const host of ['accounts.localhost:3000', 'localhost', '127.0.0.1', '10.0.0.5', '[::1]', 'accounts'])
      assert.equal(await introduce(findSmtpServer({ smtpUrl, baseUrl: `http://${host}` })), nameOfMachine, host)
  })

  test('A check of the mail server gives up early without a connection, and waits for a slow greeting', async (t) => {
    const silent = createServer().listen(0, '127.0.0.1')
    t.after(() => silent.close())
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    // Without the beginning of TLS, the connection is not complete.
    const unconnected = { ...parseSmtpUrl(`smtps://127.0.0.1:${port}`), connectMilliseconds: 50 }
    await assert.rejects(checkMailServer(unconnected, EMAIL.from), {
      message: `127.0.0.1:${port} accepts no connection within 0 s`,
    })
    const { script, server } = await remote(t, 'smtp://mail.example.com?tls=optional')
    script.replies.greeting = 'hang'
    // A busy machine may take a while for the connection.
    const check = checkMailServer({ ...server, connectMilliseconds: 500 }, EMAIL.from)
    await until(() => script.endHanging.length === 1, 'the check waits for the greeting')
    await pause(600)
    script.endHanging[0]?.('220 ready')
    assert.deepEqual(await check, { isEncrypted: false })
  })

  test('A check of the mail server names the sender as an email does, and then takes it back', async (t) => {
    const { script, server } = await remote(t, 'smtp://mail.example.com?tls=optional')
    const textsOf = async (work: Promise<unknown>) => {
      await work
      await until(() => script.lines.at(-1)?.text === 'QUIT', 'the conversation has ended')
      return script.lines.splice(0).map(({ text }) => text)
    }
    const from = '"Works, Inc." <accounts@bücher.example>'
    const conversation = createConversation(server)
    const sent = await textsOf(conversation.send({ ...EMAIL, from }).then(() => conversation.close()))
    const checked = await textsOf(checkMailServer(server, from))
    assert.deepEqual(checked, [...sent.slice(0, 2), 'RSET', 'QUIT'])
    assert.equal(checked[1], 'MAIL FROM:<accounts@xn--bcher-kva.example>')
    assert.equal(script.recipients.length, 1)
  })

  test('A check of the mail server fails when it refuses the sender, or ends the connection there', async (t) => {
    const { script, server } = await remote(t, 'smtp://mail.example.com?tls=optional')
    for (const reply of [
      '452 4.3.1 queue full',
      '530 5.7.0 Must issue a STARTTLS command first',
      '421 4.7.0 no more',
    ]) {
      script.replies['MAIL FROM'] = reply
      await assert.rejects(checkMailServer(server, EMAIL.from), (error: MailServerError) => {
        assert.equal(error.message, `The mail server refuses the sender at MAIL FROM: ${reply}`)
        return error.command === 'MAIL FROM'
      })
    }
    script.replies['MAIL FROM'] = 'disconnect'
    await assert.rejects(checkMailServer(server, EMAIL.from), /[Cc]onnection/)
  })

  test('A conversation says QUIT at its end, but not within an email', async (t) => {
    const { script, server } = await remote(t, 'smtp://mail.example.com?tls=optional')
    const lastLine = () => script.lines.at(-1)?.text
    await send(server)
    await until(() => lastLine() === 'QUIT' && script.openCount() === 0, 'the conversation has ended')
    await checkMailServer(server, EMAIL.from)
    await until(() => script.lines.length === 9 && lastLine() === 'QUIT', 'the check has ended')
    script.replies.message = 'hang'
    const conversation = createConversation(server)
    const sending = assert.rejects(conversation.send(EMAIL), /connection ended/)
    await until(() => script.endHanging.length === 1, 'the content has arrived')
    conversation.close()
    await sending
    await until(() => script.openCount() === 0, 'the conversation is closed')
    assert.equal(lastLine(), 'DATA')
  })

  test('A conversation that looks up the address of its server can be closed', async (t) => {
    const { script, server } = await remote(t, 'smtp://mail.example.com?tls=optional')
    const conversation = createConversation({ ...server, host: 'localhost' })
    const sending = assert.rejects(conversation.send(EMAIL), /connection ended/)
    conversation.close()
    await sending
    assert.deepEqual(script.lines, [])
  })

  test('A conversation opens a new connection after 20 emails', async (t) => {
    const { script, server } = await remote(t, 'smtp://mail.example.com?tls=optional')
    const conversation = createConversation(server)
    for (let count = 0; count < 20; count += 1) await conversation.send(EMAIL)
    assert.equal(script.connectionCount, 1)
    await conversation.send(EMAIL)
    assert.deepEqual([script.recipients.length, script.connectionCount], [21, 2])
    await until(() => script.openCount() === 1, 'the first connection is closed')
    conversation.close()
  })

  for (const end of ['421 4.7.0 too many emails', 'disconnect'] as const)
    test(`A conversation connects again when the server ends a connection after three emails with ${end}`, async (t) => {
      const { script, server } = await remote(t, 'smtp://mail.example.com?tls=optional')
      const conversation = createConversation(server)
      const emailsOfConnection = () => script.recipients.length - 3 * (script.connectionCount - 1)
      script.replies['MAIL FROM'] = () => (emailsOfConnection() < 3 ? undefined : end)
      for (let count = 0; count < 7; count += 1) await conversation.send(EMAIL)
      assert.deepEqual([script.recipients.length, script.connectionCount], [7, 3])
      script.replies['MAIL FROM'] = end
      await assert.rejects(conversation.send(EMAIL), /421 4\.7\.0|Connection closed/)
      conversation.close()
      assert.deepEqual([script.recipients.length, script.connectionCount], [7, 4])
    })

  test('A conversation continues after a refused recipient, and connects again after the server has disconnected', async (t) => {
    const { script, server } = await remote(t, 'smtp://mail.example.com?tls=optional')
    const conversation = createConversation(server)
    script.replies['RCPT TO'] = '550 no'
    await assert.rejects(conversation.send(EMAIL), /550 no/)
    script.replies = {}
    await conversation.send(EMAIL)
    assert.equal(script.connectionCount, 1)
    script.replies.DATA = 'disconnect'
    await assert.rejects(conversation.send(EMAIL), /Connection closed|connection ended/)
    script.replies = {}
    await conversation.send(EMAIL)
    conversation.close()
    assert.deepEqual([script.recipients.length, script.connectionCount], [2, 2])
  })

  test("A conversation connects again when the server can't reset the refused email", async (t) => {
    const { script, server } = await remote(t, 'smtp://mail.example.com?tls=optional')
    const conversation = createConversation(server)
    script.replies = { 'RCPT TO': '550 no', RSET: '502 unknown' }
    await assert.rejects(conversation.send(EMAIL), /550 no/)
    script.replies = {}
    await conversation.send(EMAIL)
    conversation.close()
    assert.deepEqual([script.recipients.length, script.connectionCount], [1, 2])
  })

  test('A conversation connects again after a response that is not one to its command', async (t) => {
    const { script, server } = await remote(t, 'smtp://mail.example.com?tls=optional')
    const conversation = createConversation(server)
    script.replies.message = '354 the answer to another command'
    await assert.rejects(conversation.send(EMAIL), /354 the answer to another command/)
    script.replies = {}
    await conversation.send(EMAIL)
    conversation.close()
    assert.deepEqual([script.recipients.length, script.connectionCount], [1, 2])
  })

  test('A conversation repeats no email whose sender is refused, except with 421', async (t) => {
    const { script, server } = await remote(t, 'smtp://mail.example.com?tls=optional')
    const conversation = createConversation(server)
    await conversation.send(EMAIL)
    script.replies = { 'MAIL FROM': '451 later', RSET: '502 unknown' }
    await assert.rejects(conversation.send(EMAIL), /451 later/)
    conversation.close()
    assert.deepEqual([script.recipients.length, script.connectionCount], [1, 1])
  })

  for (const command of ['MAIL FROM', 'RCPT TO'] as const)
    for (const response of ['550 5.7.1 no', '451 4.7.1 later'])
      test(`A conversation reports ${response} at ${command} when the server then ends the connection or hangs`, async (t) => {
        const { script, server } = await remote(t, 'smtp://mail.example.com?tls=optional')
        for (const [EHLO, refusal] of [
          ['250 ready', { [command]: { last: `${response}\r\n` } }],
          ['250-ready\r\n250 PIPELINING', { [command]: { last: `${response}\r\n` } }],
          ['250-ready\r\n250 PIPELINING', { [command]: response, DATA: 'disconnect' }],
          ['250-ready\r\n250 PIPELINING', { [command]: response, DATA: 'hang' }],
          ['250-ready\r\n250 PIPELINING', { [command]: response, DATA: '421 4.3.0 shutting down' }],
          [
            '250-ready\r\n250 PIPELINING',
            { 'RCPT TO': '503 5.5.1 no sender', [command]: response, DATA: 'disconnect' },
          ],
        ] as const) {
          script.replies = { EHLO, ...refusal }
          await assert.rejects(send({ ...server, deadlineMilliseconds: 500 }), (error: MailServerError) => {
            assert.deepEqual([error.command, error.response], [command, response], JSON.stringify(refusal))
            return true
          })
        }
        assert.deepEqual(script.recipients, [])
      })

  test('A conversation does not repeat an email whose recipient causes the end of the connection', async (t) => {
    const { script, server } = await remote(t, 'smtp://mail.example.com?tls=optional')
    const conversation = createConversation(server)
    await conversation.send(EMAIL)
    script.replies['RCPT TO'] = '421 4.7.0 too many errors'
    await assert.rejects(conversation.send(EMAIL), /421 4\.7\.0/)
    conversation.close()
    assert.deepEqual([script.recipients.length, script.connectionCount], [1, 1])
  })
})

/** The local server with the settings for another machine. */
async function remote(t: TestContext, url = 'smtp://relay:secret@mail.example.com') {
  const script = await startSmtpScript()
  t.after(() => script.close())
  const server: SmtpServer = { ...parseSmtpUrl(url), host: '127.0.0.1', port: script.port, deadlineMilliseconds: 5_000 }
  return { script, server }
}

async function send(server: SmtpServer): Promise<string> {
  const conversation = createConversation(server)
  try {
    return await conversation.send(EMAIL)
  } finally {
    conversation.close()
  }
}

function assertNothingSaid(script: SmtpScript): void {
  const said = script.lines.map(({ text }) => text)
  assert.ok(said.length > 0)
  assert.ok(
    said.every((text) => /^(EHLO|STARTTLS|QUIT)/.test(text)),
    said.join('\n'),
  )
  assert.deepEqual(script.recipients, [])
}
