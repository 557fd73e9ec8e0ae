import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { invitationEmail } from '../../features/organizations/invitations/emails.ts'
import { renderEmail } from './render-email.ts'

const invitation = {
  recipient: 'hire@example.com',
  inviterName: 'Ada Admin',
  organizationName: 'Example Works',
  role: 'member',
  link: 'https://accounts.example.com/invite/inv_1.secret',
}

describe('renderEmail', () => {
  test('renderEmail returns the link in the text, and in the HTML as a button and to copy', () => {
    const { subject, text, html } = renderEmail(invitationEmail(invitation))
    assert.equal(subject, 'Invitation to Example Works')
    assert.match(text, /as a member/)
    assert.ok(text.includes(`\n${invitation.link}\n`))
    assert.equal(html.split(`href="${invitation.link}"`).length - 1, 2)
    assert.match(html, /^<!doctype html><html lang="en">/)
  })

  test('the HTML of an email loads nothing', () => {
    const { html } = renderEmail(invitationEmail(invitation))
    assert.doesNotMatch(html, /<img|<script|<link|src=|url\(/)
  })

  test('lines of the text have at most 76 characters, except links', () => {
    const long = {
      ...invitation,
      organizationName: 'The Society of People Who Give Their Organizations Very Long Names',
    }
    const { text } = renderEmail(invitationEmail(long))
    for (const line of text.split('\n')) assert.ok(line.length <= 76 || line.startsWith('https:'), line)
  })

  test('CVE-2022-31127: renderEmail escapes markup, and removes line breaks from the subject', () => {
    const hostile = {
      ...invitation,
      inviterName: 'Eve\r\nBcc: all@example.com',
      organizationName: '<img src=x onerror=alert(1)> & "friends"',
    }
    const { subject, html } = renderEmail(invitationEmail(hostile))
    assert.doesNotMatch(subject, /[\r\n]/)
    assert.ok(!html.includes('<img') && !html.includes('Bcc'))
    assert.ok(html.includes('&lt;img src=x'))
  })
})
