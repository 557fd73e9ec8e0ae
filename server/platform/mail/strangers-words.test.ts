import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invite, member, owner } from '../../../test/support/people.ts'
import { onEachDatabase } from '../../../test/support/service.ts'

onEachDatabase('Strangers’ words in emails', (service) => {
  test('names that were stored before there were rules are not repeated', async () => {
    const { database } = service().context
    const founder = await owner(service())
    const bad = 'Win at evil.com'
    await database.updateTable('organizations').set({ name: bad }).where('id', '=', founder.organization.id).execute()
    await database.updateTable('users').set({ name: bad }).where('id', '=', founder.id).execute()
    const { email } = await invite(service(), founder)
    const [letter] = await service().letters(email)
    assert.doesNotMatch(`${letter?.subject} ${letter?.text} ${letter?.html}`, /evil/)
    assert.equal(letter?.subject, 'Invitation to an organization')
  })

  test('a User-Agent is shown as one of a closed list of devices', async () => {
    const { email } = await member(service(), await owner(service()))
    const headers = { 'user-agent': 'Your account is blocked. Visit https://evil.example or call +49 30 1234567' }
    await service().client().post('/api/auth/request-password-reset', { email }, { headers })
    const [letter] = await service().letters(email)
    assert.match(letter?.text ?? '', /with an unknown device/)
    assert.doesNotMatch(`${letter?.subject} ${letter?.text} ${letter?.html}`, /evil|1234567|blocked/)
  })
})
