import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/support/service.ts'
import { administratorWithOrganization, invite, newMember } from '../../../test/support/users.ts'

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

  test('Emails show a User-Agent as one of a closed list of devices', async () => {
    const { email } = await newMember(service())
    const headers = { 'user-agent': 'Your account is blocked. Visit https://evil.example or call +49 30 1234567' }
    await service().client().post('/api/auth/request-password-reset', { email }, { headers })
    const [message] = await service().emails(email)
    assert.match(message?.text ?? '', /with an unknown device/)
    assert.doesNotMatch(`${message?.subject} ${message?.text} ${message?.html}`, /evil|1234567|blocked/)
  })
})
