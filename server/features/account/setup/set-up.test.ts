import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { PASSWORD } from '../../../../test/support/users.ts'
import { createAdmin } from './create-admin.ts'
import { createSetupLink } from './set-up.ts'

onEachDatabase('set-up', (service) => {
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
