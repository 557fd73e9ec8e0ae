import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { invitationEmail } from '../../features/organizations/invitations/emails.ts'
import { readConfig } from '../config/config.ts'
import { html } from './html.ts'
import { renderEmail } from './render-email.ts'

const invitation = {
  recipient: 'hire@example.com',
  inviterName: 'Ada Admin',
  inviterEmail: 'ada@example.com',
  organizationName: 'Example Works',
  role: 'member' as const,
  link: 'https://accounts.example.com/invite/inv_1.secret',
}

const ESCAPED = '&lt;b title=&#x27;a&#x27;&gt;&quot;&amp;'

const config = readConfig({ SECRET: 'a secret of at least thirty-two characters' })

/** The words that a reader sees. */
function wordsOf(html: string): Set<string> {
  const visible = html.replace(/<(head|div)\b.*?<\/\1>/gs, ' ').replace(/<[^>]*>/g, ' ')
  return new Set(visible.replaceAll('&#x27;', "'").replaceAll('&amp;', '&').split(/\s+/).filter(Boolean))
}

describe('renderEmail', () => {
  test('renderEmail returns the link in the text, and in the HTML as a button and to copy', () => {
    const { subject, text, html } = renderEmail(invitationEmail(invitation), config)
    assert.equal(subject, 'Invitation to Example Works')
    assert.match(text, /as a member/)
    assert.ok(text.includes(`\n${invitation.link}\n`))
    assert.equal(html.split(`href="${invitation.link}"`).length - 1, 2)
    assert.match(html, /^<!doctype html><html lang="en">/)
  })

  test('CVE-2022-31127: a name adds no line to the subject, and no markup to the text or an attribute', () => {
    const subject = 'Works\r\nBcc: x@evil.example'
    const email = { ...invitationEmail(invitation), subject }
    assert.equal(renderEmail(email, config).subject, 'Works Bcc: x@evil.example')
    const name = `<b title='a'>"&`
    assert.equal(String(html`<a title="${name}">${name}</a>`), `<a title="${ESCAPED}">${ESCAPED}</a>`)
  })

  test('The HTML of an email loads nothing', () => {
    const { html } = renderEmail(invitationEmail(invitation), config)
    assert.doesNotMatch(html, /<img|<script|<link|src=|url\(/)
  })

  test('Lines of the text have at most 76 characters, except links', () => {
    const long = {
      ...invitation,
      organizationName: 'The Society of People Who Give Their Organizations Very Long Names',
    }
    const { text } = renderEmail(invitationEmail(long), config)
    for (const line of text.split('\n')) assert.ok(line.length <= 76 || line.startsWith('https:'), line)
  })

  test('CVE-2022-31127: renderEmail escapes markup, and removes line breaks from the subject', () => {
    const hostile = {
      ...invitation,
      inviterName: 'Eve\r\nBcc: all@example.com',
      organizationName: '<img src=x onerror=alert(1)> & "friends"',
    }
    const { subject, html } = renderEmail(invitationEmail(hostile), config)
    assert.doesNotMatch(subject, /[\r\n]/)
    assert.ok(!html.includes('<img') && !html.includes('Bcc'))
    assert.ok(html.includes('&lt;img src=x'))
  })

  test('The text and the HTML of an email have the same words, and the HTML also the brand and a second link', () => {
    const { text, html } = renderEmail(invitationEmail(invitation), config)
    const ofText = new Set(text.split(/\s+/).filter(Boolean))
    const ofHtml = wordsOf(html)
    const onlyInHtml = [...ofHtml.difference(ofText)].join(' ')
    assert.equal(onlyInHtml, 'invitation Or copy into browser:')
    assert.deepEqual([...ofText.difference(ofHtml)], ['invitation:', '--'])
  })

  test('A URL in the footnote is a link in the HTML, without the full stop after it', () => {
    const url = 'https://accounts.example.com/forgot-password'
    const footnote = `If it was not you, set a new password at ${url}. <Ask> for help.`
    const { html } = renderEmail({ ...invitationEmail(invitation), footnote }, config)
    assert.match(
      html,
      new RegExp(`set a new password at <a class="soft" href="${url}"[^>]*>${url}</a>\\. &lt;Ask&gt; for`),
    )
  })

  test('The footer of an email says who sent it, why it came, and who answers questions', () => {
    const { text } = renderEmail(invitationEmail(invitation), config)
    assert.match(text, /--\nAccounts sent this email to hire@example\.com, because Ada Admin invited you\.\n/)
    assert.match(text, /\nQuestions\? Ask your administrator\.\n$/)
    const brand = {
      ...config.brand,
      supportUrl: 'mailto:help@example.com?subject=Hi',
      privacyUrl: 'https://example.com/',
    }
    const branded = renderEmail(invitationEmail(invitation), { brand: { ...brand, name: 'Works & Co' } })
    assert.match(
      branded.text,
      /--\nWorks & Co sent .+\nQuestions\? help@example\.com\nPrivacy: https:\/\/example\.com\/\n$/s,
    )
    assert.ok(branded.html.includes('href="mailto:help@example.com?subject=Hi"'))
    assert.ok(branded.html.includes('>Works &amp; Co</td>'))
  })

  test('The footer of an email shows the email address of a mailto: URL as a user writes it', () => {
    const brand = { ...config.brand, supportUrl: 'mailto:50%25off@example.com?subject=Hi' }
    const { text, html } = renderEmail(invitationEmail(invitation), { brand })
    assert.match(text, /\nQuestions\? 50%off@example\.com\n/)
    assert.ok(html.includes('href="mailto:50%25off@example.com?subject=Hi"'))
  })

  test('The email address of the inviter is beside the name', () => {
    const { text } = renderEmail(invitationEmail(invitation), config)
    assert.match(text, /^Ada Admin \(ada@example\.com\) invites you to Example Works as a member\.$/m)
  })

  test('The preheader is the first paragraph, and no mail program shows it in the email', () => {
    const { html } = renderEmail(invitationEmail(invitation), config)
    assert.match(html, /<div style="display:none;[^"]*mso-hide:all[^"]*">Ada Admin \(ada@example\.com\) invites you/)
    assert.doesNotMatch(html, /font-size:[0-4]px/, 'spam filters count tiny letters')
  })

  test('Outlook for Windows gets a table of fixed width and a button without VML', () => {
    const { html } = renderEmail(invitationEmail(invitation), config)
    assert.match(html, /<!--\[if mso\]><table role="presentation" width="520"/)
    assert.match(html, /<td class="button"[^>]* bgcolor="#0f5c4d"[^>]*mso-padding-alt:12px 22px/)
    assert.doesNotMatch(html, /<v:/)
  })
})
