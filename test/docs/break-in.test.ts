import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { bearerClient } from '../support/bearer-client.ts'
import type { Answer, Client } from '../support/client.ts'
import { createTestApp, signInTo } from '../support/openid.ts'
import { secondProcess } from '../support/second-process.ts'
import { onEachDatabase } from '../support/service.ts'
import { refresh } from '../support/token-requests.ts'
import { appOfUri, enableEmailCodes, firstStep, userWithTotp } from '../support/two-step.ts'
import { newMember, PASSWORD, signedIn, type TestUser, tokenIn } from '../support/users.ts'

const AUTH = '/api/auth'
const NEW_PASSWORD = 'a perfectly fine new password'

const operations = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
const section = operations.slice(operations.indexOf('## After a break-in'))
const [postgresStart = [], sqliteStart = [], statements = []] = [...section.matchAll(/```sql\n([^`]+)```/g)].map(
  ([, lines = '']) => lines.trim().split('\n'),
)

onEachDatabase('The statements of docs/operations.md for a break-in', (service) => {
  const getOther = secondProcess(service)
  /** @param between runs after the passwords are deleted */
  const runStatements = async (between: () => Promise<unknown> = async () => {}) => {
    const { context, engine } = service()
    const [begin, ...settings] = engine === 'postgres' ? postgresStart : sqliteStart.toReversed()
    assert.match(begin ?? '', /^begin/)
    assert.deepEqual([statements.length, statements.at(-1)], [8, 'commit;'])
    const [list = '', ...changes] = statements.slice(0, -1)
    return context.database.transaction().execute(async (transaction) => {
      if (engine === 'postgres') for (const setting of settings) await sql.raw(setting).execute(transaction)
      const { rows } = await sql.raw<{ role: string; email: string }>(list).execute(transaction)
      for (const change of changes) {
        await sql.raw(change).execute(transaction)
        if (change === 'delete from accounts;') await between()
      }
      return rows
    })
  }
  const setNewPassword = async ({ email }: Pick<TestUser, 'email'>) => {
    await service().client().post(`${AUTH}/request-password-reset`, { email })
    const token = await tokenIn(service(), email)
    const { status } = await service().client().post(`${AUTH}/reset-password`, { token, newPassword: NEW_PASSWORD })
    assert.equal(status, 200)
  }
  const verify = async (client: Client, path: string, code: string) => {
    const { status, body } = await client.post(`${AUTH}/two-factor/${path}`, { code })
    return status === 200 ? 200 : body.code
  }

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

    await runStatements()

    for (const process of processes)
      assert.equal((await bearerClient(process, user).get('/api/auth/get-session')).body, null)
    assert.equal((await refresh(service(), app, refreshToken)).status, 400)
    const { database } = service().context
    const logOuts = await database.selectFrom('oauthLogouts').select('clientId').where('userId', '=', user.id).execute()
    assert.deepEqual(
      logOuts.map(({ clientId }) => clientId),
      [app.id],
    )
    assert.deepEqual(await database.selectFrom('singleUseTokens').select('id').execute(), [])
  })

  test('No password survives that an attacker sets with an earlier link between two of the statements', async () => {
    const { email } = await newMember(service())
    await service().client().post(`${AUTH}/request-password-reset`, { email })
    const token = await tokenIn(service(), email)
    const reset = () => service().client().post(`${AUTH}/reset-password`, { token, newPassword: NEW_PASSWORD })
    const resetting = Promise.withResolvers<Answer>()
    await runStatements(async () => {
      reset().then(resetting.resolve, resetting.reject)
      await Promise.race([resetting.promise, pause(500)])
    })
    const { status } = await resetting.promise
    assert.ok([400, 503].includes(status), String(status))
    assert.equal((await firstStep(service().client(), email, { password: NEW_PASSWORD })).status, 401)
  })

  test('The statements let a user sign in whose second step was deleted before, but not turned off', async () => {
    const user = await newMember(service())
    const users = service().context.database.updateTable('users').set({ twoFactorEnabled: 1 })
    await users.where('id', '=', user.id).execute()
    await runStatements()
    await setNewPassword(user)
    assert.equal((await signedIn(service(), user.email, NEW_PASSWORD)).id, user.id)
  })

  test('The first statement lists the users of authenticator apps, administrators first', async () => {
    const [user, admin] = [await userWithTotp(service()), await userWithTotp(service())]
    const { database } = service().context
    await database.updateTable('users').set({ role: 'admin' }).where('id', '=', admin.id).execute()
    const other = await newMember(service())
    await enableEmailCodes(service(), other)
    await other.client.post(`${AUTH}/two-factor/enable`, { password: PASSWORD })
    const emails = [user, admin, other].map(({ email }) => email)
    const listed = (await runStatements()).filter(({ email }) => emails.includes(email))
    assert.deepEqual(
      listed.map(({ role, email }) => [role, email]),
      [
        ['admin', admin.email],
        ['user', user.email],
      ],
    )
  })

  test('After the statements, the former key of an authenticator app passes no second step, and its user sets up another', async (t) => {
    t.after(() => {
      service().config.requireTwoFactor = 'none'
    })
    const { app: formerApp, ...user } = await userWithTotp(service())
    const { database, now } = service().context
    const required = { requireTwoFactor: 1 }
    await database.updateTable('organizations').set(required).where('id', '=', user.organization.id).execute()
    service().config.requireTwoFactor = 'all'
    await runStatements()
    assert.equal((await firstStep(service().client(), user.email)).body.code, 'INVALID_EMAIL_OR_PASSWORD')

    await setNewPassword(user)
    const { client } = await signedIn(service(), user.email, NEW_PASSWORD)
    const readToken = () => client.get(`/api/token?org=${user.organization.slug}`)
    assert.equal((await readToken()).body.code, 'TWO_FACTOR_REQUIRED')
    const { body } = await client.post(`${AUTH}/two-factor/enable`, { password: NEW_PASSWORD })
    const newApp = appOfUri(body.totpURI)
    assert.equal(await verify(client, 'verify-totp', formerApp.codeAt(now())), 'INVALID_CODE')
    assert.equal(await verify(client, 'verify-totp', newApp.codeAt(now())), 200)
    assert.equal((await readToken()).status, 200)

    const attacker = service().client()
    const first = await firstStep(attacker, user.email, { password: NEW_PASSWORD })
    assert.deepEqual(first.body.twoFactorMethods, ['totp'])
    assert.equal(await verify(attacker, 'verify-totp', formerApp.codeAt(now())), 'INVALID_CODE')
    const [formerRecoveryCode = ''] = formerApp.backupCodes
    assert.equal(await verify(attacker, 'verify-backup-code', formerRecoveryCode), 'INVALID_BACKUP_CODE')
  })

  test('After the statements, users with codes by email are still asked for a code, also during the setup of an app', async () => {
    const user = await newMember(service())
    await enableEmailCodes(service(), user)
    await user.client.post(`${AUTH}/two-factor/enable`, { password: PASSWORD })
    await runStatements()
    await setNewPassword(user)
    const { body } = await firstStep(service().client(), user.email, { password: NEW_PASSWORD })
    assert.deepEqual(body.twoFactorMethods, ['otp'])
  })
})
