import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase, startService } from '../../../../test/support/service.ts'
import { PASSWORD } from '../../../../test/support/users.ts'
import { createAdmin } from './create-admin.ts'
import { createSetupLink } from './set-up.ts'

onEachDatabase('set-up', (service) => {
  test('a second link leaves the first one valid, and set-up with one of them ends both', async (t) => {
    const fresh = await startService({ engine: service().engine })
    t.after(() => fresh.stop())
    const [first, second] = [await fresh.setupToken(), await fresh.setupToken()]
    const ada = { name: 'Ada Admin', email: 'ada@example.com', password: PASSWORD }
    assert.equal((await fresh.client().post('/api/setup', { ...ada, token: first })).status, 200)
    const answer = await fresh.client().post('/api/setup', { ...ada, email: 'eve@example.com', token: second })
    assert.deepEqual([answer.status, answer.body.code], [400, 'INVALID_TOKEN'])
  })

  test('set-up refuses a link from before the first administrator, and createSetupLink returns none', async () => {
    const token = await service().setupToken()
    await createAdmin(service().context, { name: 'Ada Admin', email: 'ada@example.com', password: PASSWORD })
    const late = { token, name: 'Eve', email: 'eve@example.com', password: PASSWORD }
    const answer = await service().client().post('/api/setup', late)
    assert.deepEqual([answer.status, answer.body.code], [400, 'SETUP_ALREADY_DONE'])
    assert.equal(await createSetupLink(service().context), undefined)
    const users = await service().context.database.selectFrom('users').select('email').execute()
    assert.deepEqual(
      users.map(({ email }) => email),
      ['ada@example.com'],
    )
  })
})
