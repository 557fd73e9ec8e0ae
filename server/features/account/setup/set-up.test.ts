import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase, startService } from '../../../../test/support/service.ts'
import { PASSWORD } from '../../../../test/support/users.ts'
import { createAdmin } from './create-admin.ts'
import { createSetupLink } from './set-up.ts'

onEachDatabase('setup', (service) => {
  test('A second link leaves the first one valid, and setup with one of them ends both', async (t) => {
    const fresh = await startService({ engine: service().engine })
    t.after(() => fresh.stop())
    const [first, second] = [await fresh.setupToken(), await fresh.setupToken()]
    const ada = { name: 'Ada Admin', email: 'ada@example.com', password: PASSWORD }
    assert.equal((await fresh.client().post('/api/setup', { ...ada, token: first })).status, 200)
    const answer = await fresh.client().post('/api/setup', { ...ada, email: 'eve@example.com', token: second })
    assert.deepEqual([answer.status, answer.body.code], [400, 'INVALID_TOKEN'])
  })

  test('setup revokes the session in the cookie', async (t) => {
    const fresh = await startService({ engine: service().engine })
    t.after(() => fresh.stop())
    const former = fresh.client()
    const ada = { name: 'Ada Admin', email: 'ada@example.com', password: PASSWORD }
    const token = await fresh.setupToken()
    await former.post('/api/setup', { ...ada, token })
    const headers = { authorization: `Bearer ${former.cookies.get('session')}` }
    await fresh.context.database.updateTable('users').set({ role: 'user' }).execute()
    await former.post('/api/setup', { ...ada, email: 'bea@example.com', token: await fresh.setupToken() })
    assert.equal((await former.get('/api/auth/get-session')).body.user.email, 'bea@example.com')
    assert.equal((await fresh.client().get('/api/auth/get-session', { headers })).body, null)
  })

  test('setup refuses a link from before the first administrator, and createSetupLink returns none', async () => {
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
