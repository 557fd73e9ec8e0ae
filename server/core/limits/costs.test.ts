import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../../test/support/client.ts'
import { newUsers } from '../../../test/support/many-users.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { statementsOf } from '../../../test/support/statements.ts'
import {
  administrator,
  administratorWithOrganization,
  newEmail,
  newMember,
  signedIn,
} from '../../../test/support/users.ts'

onEachDatabase('Default cost limits', (service, engine) => {
  test('One user can send 100 invitations in a row', async () => {
    const { client, organization } = await administratorWithOrganization(service())
    for (let count = 0; count < 100; count += 1) {
      const invitation = { email: newEmail(), role: 'member', organizationId: organization.id }
      const answer = await client.post('/api/auth/organization/invite-member', invitation)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
    }
  })

  // The counters of SQLite are in memory.
  if (engine === 'postgres')
    test('get-session does not query the rate limits', async (t) => {
      const { client } = await administrator(service())
      const statements = await statementsOf(t, service(), async () => {
        assert.equal((await client.get('/api/auth/get-session')).status, 200)
      })
      const texts = statements.map(({ sql }) => sql)
      assert.match(texts.join(), /"sessions"/)
      assert.doesNotMatch(texts.join(), /"rateLimits"/)
    })
})

onEachDatabase(
  'Low cost limits',
  (service) => {
    const reset = (client: Client, headers = {}) =>
      client.post('/api/auth/request-password-reset', { email: newEmail() }, { headers })

    test('The mail limit counts the email requests of a network, also for unknown email addresses', async () => {
      const client = service().client()
      const statuses: number[] = []
      for (let count = 0; count < 4; count += 1) statuses.push((await reset(client)).status)
      assert.deepEqual(statuses, [200, 200, 200, 429])
      const verification = { email: newEmail() }
      assert.equal((await client.post('/api/auth/send-verification-email', verification)).status, 200)
      assert.equal((await reset(service().client())).status, 200)
    })

    test('The mail limit covers a whole IPv6 /48', async () => {
      const statuses: number[] = []
      for (let count = 0; count < 10; count += 1) {
        const headers = { 'x-forwarded-for': `2001:db8:48:${count}::1` }
        statuses.push((await reset(service().client(), headers)).status)
      }
      assert.deepEqual(statuses, [...Array<number>(9).fill(200), 429])
    })

    test('The change limit counts the changes of one user in all sessions and networks, without other users of the network', async () => {
      const [one = '', other = ''] = await newUsers(service(), 2)
      const [first, second] = [await signedIn(service(), one), await signedIn(service(), one)]
      const colleague = await signedIn(service(), other)
      const change = (client: Client) =>
        client.post(
          '/api/auth/update-user',
          { name: 'Paula Parker' },
          { headers: { 'x-forwarded-for': '198.51.100.8' } },
        )
      for (let count = 0; count < 5; count += 1) {
        assert.equal((await change(first.client)).status, 200)
        assert.equal((await change(second.client)).status, 200)
      }
      assert.equal((await change(second.client)).status, 429)
      assert.equal((await change(colleague.client)).status, 200)
      assert.equal((await second.client.get('/api/auth/get-session')).status, 200)
      service().advance(60_000)
      assert.equal((await change(second.client)).status, 200)
    })

    test('The change limit counts the settings of two-step verification of a user without a password', async () => {
      for (const name of ['enable', 'get-totp-uri', 'generate-backup-codes', 'disable']) {
        const { client, id } = await newMember(service())
        await service().context.database.deleteFrom('accounts').where('userId', '=', id).execute()
        const change = async () => (await client.post(`/api/auth/two-factor/${name}`, {})).status
        for (let count = 0; count < 10; count += 1) assert.notEqual(await change(), 429, name)
        assert.equal(await change(), 429, name)
      }
    })
  },
  { NETWORK_EMAIL_REQUESTS_PER_5_MINUTES: '3', USER_CHANGES_PER_MINUTE: '10' },
)
