import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeResponse, NOT_AVAILABLE } from './email-deliveries.ts'

const NO_RESPONSE = 'The mail server did not respond to this email.'
const ACCEPTS_NONE = 'The mail server accepts no emails from this service now.'

test('describeResponse returns the reply of the mail server, and why an email was not sent without one', () => {
  for (const [lastError, description] of [
    ['250 taken', '250 taken'],
    ['Recipient command failed: 550-no such mailbox', '550-no such mailbox'],
    ['Message failed: 554 5.7.1 port 587 is closed', '554 5.7.1 port 587 is closed'],
    [`${NOT_AVAILABLE}: Invalid login: 535 wrong password`, ACCEPTS_NONE],
    [`${NOT_AVAILABLE}: Invalid greeting. response=421 relay7.internal: 421 relay7.internal`, ACCEPTS_NONE],
    ["The email can't be decrypted.", "The email can't be decrypted."],
    [
      'Not sent: the invitation ended or was sent again, or its inviter may no longer invite',
      'Not sent: the invitation ended or was sent again, or its inviter may no longer invite',
    ],
    ['The connection ended.', NO_RESPONSE],
    [`${NOT_AVAILABLE}: The connection can't be encrypted: self-signed certificate`, NO_RESPONSE],
  ] as const)
    assert.equal(describeResponse(lastError), description)
})

test('describeResponse takes no port of a network error for a reply', () => {
  for (const port of [25, 465, 587, 2525, 443, 250])
    for (const address of [`2001:db8::1:${port} - Local (:::0)`, `192.0.2.1:${port} - Local (0.0.0.0:0)`])
      assert.equal(describeResponse(`${NOT_AVAILABLE}: connect ENETUNREACH ${address}`), NO_RESPONSE)
})
