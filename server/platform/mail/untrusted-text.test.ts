import assert from 'node:assert/strict'
import { test } from 'node:test'
import { everyEmail } from '../../../test/support/every-email.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { administratorWithOrganization, invite, newMember } from '../../../test/support/users.ts'
import { emailChangedEmail, unverifiedEmailChangedEmail } from '../../features/account/email/emails.ts'
import {
  accountCreatedEmail,
  emailSetByStaffEmail,
  unverifiedEmailSetByStaffEmail,
} from '../../features/staff/users/emails.ts'
import { renderEmail } from './render-email.ts'

onEachDatabase('untrusted text in emails', (service) => {
  test('Emails leave out names that are older than the rules', async () => {
    const { database } = service().context
    const founder = await administratorWithOrganization(service())
    const bad = 'Win at evil.com'
    await database.updateTable('organizations').set({ name: bad }).where('id', '=', founder.organization.id).execute()
    await database.updateTable('users').set({ name: bad }).where('id', '=', founder.id).execute()
    const { email } = await invite(service(), founder)
    const [message] = await service().emails(email)
    assert.doesNotMatch(`${message?.subject} ${message?.text} ${message?.html}`, /evil/)
    assert.equal(message?.subject, 'Invitation to an organization')
  })

  test('An invitation says of an inviter whose email address looks like a link that it does, and does not show it', async () => {
    const founder = await administratorWithOrganization(service())
    const change = service().context.database.updateTable('users').where('id', '=', founder.id)
    await change.set({ email: 'www.evil.com/login?x=1@example.com', name: 'Ada Admin' }).execute()
    const { email } = await invite(service(), founder)
    const [message] = await service().emails(email)
    assert.match(message?.text ?? '', /^Ada Admin \(whose email address looks like a link\) invites you to /m)
    assert.doesNotMatch(`${message?.text} ${message?.html}`, /evil/)
  })

  test('No email shows an address that looks like a link, neither that of its recipient nor a new one', () => {
    const address = 'ada+www.evil.com/login@example.com'
    const circumstances = { at: 0, ipAddress: null, userAgent: null }
    const emails = [
      ...everyEmail,
      emailChangedEmail(address, address, 'https://accounts.example.com', circumstances),
      emailSetByStaffEmail(address, address),
      unverifiedEmailSetByStaffEmail(address),
      unverifiedEmailChangedEmail(address),
      accountCreatedEmail({ recipient: address, name: 'Ada', link: 'https://accounts.example.com' }),
    ]
    for (const email of emails) {
      const { subject, text, html } = renderEmail({ ...email, recipient: address }, service().context.config)
      assert.doesNotMatch(`${subject} ${text} ${html}`, /evil/, email.kind)
    }
  })

  test('Emails show a User-Agent as one of a closed list of devices', async () => {
    const { email } = await newMember(service())
    const headers = { 'user-agent': 'Your account is blocked. Visit https://evil.example or call +49 30 1234567' }
    await service().client().post('/api/auth/request-password-reset', { email }, { headers })
    const [message] = await service().emails(email)
    assert.match(message?.text ?? '', /with an unknown device/)
    assert.doesNotMatch(`${message?.subject} ${message?.text} ${message?.html}`, /evil|1234567|blocked/)
  })
})
