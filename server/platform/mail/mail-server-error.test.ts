import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classifyFailure, MailServerError, type Stage } from './mail-server-error.ts'

function verdictOn(stage: Stage, command: string, response: string): string {
  const responseCode = Number(response.slice(0, 3))
  return classifyFailure(
    new MailServerError(stage, Object.assign(new Error(response), { command, response, responseCode })),
  )
}

test('classifyFailure returns refused only for a recipient or a message, and unclear for what may concern the service', () => {
  for (const [command, response, verdict] of [
    ['RCPT TO', '550 5.1.1 no such mailbox', 'refused'],
    ['RCPT TO', '450 4.2.1 try again', 'deferred'],
    ['RCPT TO', '450 4.7.1 <accounts.example>: Helo command rejected: Host not found', 'unclear'],
    ['RCPT TO', '450 4.1.8 <accounts@accounts.example>: Sender address rejected: Domain not found', 'unclear'],
    ['RCPT TO', '450 4.2.0 <sender@example.com>: Recipient address rejected: Greylisted', 'deferred'],
    ['RCPT TO', '450 4.7.1 <accounts@example.com>: Sender address rejected: Greylisted for 5 minutes', 'deferred'],
    ['RCPT TO', `550 ${'x'.repeat(900_000)} sender`, 'refused'],
    ['RCPT TO', '503 bad sequence of commands', 'unclear'],
    ['RCPT TO', '530 authentication required', 'unclear'],
    ['RCPT TO', '534 authentication mechanism is too weak', 'unclear'],
    ['RCPT TO', '538 encryption required', 'unclear'],
    ['RCPT TO', '550 relay not permitted', 'unclear'],
    ['RCPT TO', '554 5.7.1 access denied', 'unclear'],
    [
      'RCPT TO',
      '550 5.1.0 <accounts@example.com>: Sender address rejected: User unknown in local recipient table',
      'unclear',
    ],
    ['RCPT TO', '550-Verification failed for <accounts@example.com>\n550 Sender verify failed', 'unclear'],
    ['RCPT TO', '550 Administrative prohibition', 'unclear'],
    ['RCPT TO', "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", 'unclear'],
    ['RCPT TO', '550 5.1.1 <sender@relay.example>: Recipient address rejected: User unknown', 'refused'],
    ['RCPT TO', '550 5.1.1 <typo@example.com>: User unknown in relay recipient table', 'refused'],
    ['DATA', '554 Message rejected: Email address is not verified.', 'unclear'],
    ['DATA', '550 The from address does not match a verified Sender Identity.', 'unclear'],
    ['DATA', '554 5.2.252 SendAsDenied; relay@example.com not allowed to send as accounts@example.com', 'unclear'],
    ['DATA', '554 5.7.1 this looks like spam', 'refused'],
    ['DATA', '554 this relay takes no attachments', 'refused'],
    ['DATA', '421 shutting down', 'unclear'],
    ['DATA', '354 go on', 'unclear'],
    ['MAIL FROM', '550 no such sender', 'unavailable'],
    ['CONN', '550 5.1.1 no such mailbox', 'unclear'],
  ] as const)
    assert.equal(verdictOn('message', command, response), verdict, `${command}: ${response}`)
  assert.equal(verdictOn('session', 'AUTH', '535 wrong password'), 'unavailable')
})
