import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createTestApp, signInTo } from '../support/openid.ts'
import { bearerClient, secondProcess } from '../support/second-process.ts'
import { onEachDatabase } from '../support/service.ts'
import { refresh } from '../support/token-requests.ts'
import { newMember } from '../support/users.ts'

const operations = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
const [, statements = ''] = /## After a break-in[^`]*.*?```sql\n([^`]+)```/s.exec(operations) ?? []

onEachDatabase('The statements of docs/operations.md for a break-in', (service) => {
  const getOther = secondProcess(service)

  test('The statements sign all users out in every process, and enqueue the log-outs of their apps', async () => {
    const other = await getOther()
    const user = await newMember(service())
    const app = await createTestApp(service(), { backchannel_logout_uri: 'https://app.example.com/log-out' })
    const { refresh_token: refreshToken = '' } = await signInTo(user, app)
    const { email } = user
    await service().client().post('/api/auth/request-password-reset', { email })
    const processes = [service(), other]
    for (const process of processes)
      assert.notEqual((await bearerClient(process, user).get('/api/auth/get-session')).body, null)

    const { database } = service().context
    const listed = statements.trim().split('\n')
    assert.equal(listed.length, 3)
    for (const statement of listed) await sql.raw(statement).execute(database)

    for (const process of processes)
      assert.equal((await bearerClient(process, user).get('/api/auth/get-session')).body, null)
    assert.equal((await refresh(service(), app, refreshToken)).status, 400)
    const logOuts = await database.selectFrom('oauthLogouts').select('clientId').where('userId', '=', user.id).execute()
    assert.deepEqual(
      logOuts.map(({ clientId }) => clientId),
      [app.id],
    )
    assert.deepEqual(await database.selectFrom('singleUseTokens').select('id').execute(), [])
  })
})
