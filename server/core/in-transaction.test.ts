import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConcurrentStep, concurrently } from '../../test/support/concurrently.ts'
import { onEachDatabase } from '../../test/support/service.ts'
import { administratorWithOrganization } from '../../test/support/users.ts'
import { prepareEmailFrom } from './in-transaction.ts'
import { lockUserForUpdate } from './users/lock-user.ts'

test('prepareEmailFrom prepares an email again only when the locked rows differ', () => {
  let count = 0
  const emailFor = prepareEmailFrom([{ name: 'Phone' }], (rows) => {
    count += 1
    return { kind: 'test email', recipient: 'a@example.com', encryptedEmail: JSON.stringify(rows) }
  })
  assert.equal(emailFor([{ name: 'Phone' }]).encryptedEmail, '[{"name":"Phone"}]')
  assert.equal(count, 1)
  assert.equal(emailFor([{ name: 'Laptop' }]).encryptedEmail, '[{"name":"Laptop"}]')
  assert.equal(count, 2)
})

onEachDatabase('A session that is revoked while a transaction waits for a lock', (service) => {
  for (const [path, body] of [
    ['update-user', { name: 'Another Name' }],
    ['organization/create', { name: 'Works', slug: 'works' }],
  ] as const)
    test(`${path} changes nothing in a session that is revoked while it waits`, async () => {
      const { id, client } = await administratorWithOrganization(service())
      const revocation: ConcurrentStep = {
        async begin(transaction) {
          await lockUserForUpdate(transaction, id)
          await transaction.deleteFrom('sessions').where('userId', '=', id).execute()
        },
      }
      const answer = await concurrently(service(), revocation, () => client.post(`/api/auth/${path}`, body))
      assert.deepEqual([answer.status, answer.body.code], [401, 'UNAUTHORIZED'])
      const { database } = service().context
      const changed = [
        await database.selectFrom('users').select('id').where('name', '=', 'Another Name').execute(),
        await database.selectFrom('organizations').select('id').where('slug', '=', 'works').execute(),
      ]
      assert.deepEqual(changed, [[], []])
    })
})
