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
    assert.deepEqual([answer.status, answer.body.code], [400, 'SETUP_ALREADY_DONE'])
  })

  test('A link that two requests use at the same time sets up once, and the other request learns that it is done', async (t) => {
    const fresh = await startService({ engine: service().engine })
    t.after(() => fresh.stop())
    const token = await fresh.setupToken()
    const set = (email: string) =>
      fresh.client().post('/api/setup', { token, name: 'Ada Admin', email, password: PASSWORD })
    const answers = await Promise.all([set('ada@example.com'), set('eve@example.com')])
    assert.deepEqual(answers.map(({ body }) => body.code).toSorted(), ['SETUP_ALREADY_DONE', undefined])
  })

  test('setup with an unusable link hashes nothing and counts as a wrong guess, before and after the first administrator', async (t) => {
    const environment = { NETWORK_GUESSES_PER_5_MINUTES: '1' }
    const fresh = await startService({ engine: service().engine, environment })
    t.after(() => fresh.stop())
    const hash = t.mock.method(fresh.context.passwords, 'hash')
    const guessTwice = async () => {
      const client = fresh.client()
      const guess = { token: 'A'.repeat(43), name: 'Eve', email: 'eve@example.com', password: PASSWORD }
      const answers = [await client.post('/api/setup', guess), await client.post('/api/setup', guess)]
      return answers.map(({ status, body }) => `${status} ${body.code}`)
    }
    assert.deepEqual(await guessTwice(), ['400 INVALID_TOKEN', '429 TOO_MANY_REQUESTS'])
    await createAdmin(fresh.context, { name: 'Ada Admin', email: 'ada@example.com' })
    assert.deepEqual(await guessTwice(), ['400 SETUP_ALREADY_DONE', '429 TOO_MANY_REQUESTS'])
    assert.equal(hash.mock.callCount(), 0)
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
