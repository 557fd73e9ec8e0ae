import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { symmetricEncrypt } from 'better-auth/crypto'
import { startBetterAuth } from '../../../test/support/better-auth.ts'
import { post, SOURCE_PASSWORD, signUpAtSource } from '../../../test/support/better-auth-scene.ts'
import { startService } from '../../../test/support/service.ts'
import { appOfUri } from '../../../test/support/two-step.ts'
import { importFromBetterAuth, tryImport } from './import-from-better-auth.ts'
import { openSource, type Source } from './open-source.ts'
import { assertSecretsDecrypt, createSecretConverter, planSecondStep } from './plan-second-step.ts'
import type { ImportReport } from './report.ts'
import { decryptOfSource } from './source-cipher.ts'
import type { SourceUser } from './source-rows.ts'

const SECRET = 'the secret of a Better Auth'

test('Texts that Better Auth encrypted are decrypted with the same secret only', async () => {
  for (const data of ['', 'a', 'ß€😀', randomBytes(300).toString('hex')]) {
    const encrypted = await symmetricEncrypt({ key: SECRET, data })
    assert.equal(decryptOfSource([SECRET], encrypted), data)
    assert.equal(decryptOfSource(['another secret'], encrypted), undefined)
    const changed = encrypted.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
    assert.equal(decryptOfSource([SECRET], changed), undefined)
  }
  const keys = new Map([[3, SECRET]])
  const numbered = await symmetricEncrypt({ key: { keys, currentVersion: 3 }, data: 'a' })
  assert.match(numbered, /^\$ba\$3\$/)
  assert.equal(decryptOfSource([SECRET], numbered), 'a')
  for (const damaged of ['', 'ab', 'no hexadecimal number', '0'.repeat(78)])
    assert.equal(decryptOfSource([SECRET], damaged), undefined)
})

test('Codes by email replace an authenticator app that was not verified, and one whose secret is damaged', async () => {
  const convert = createSecretConverter([SECRET], (text) => `encrypted ${text}`)
  const secret = await symmetricEncrypt({ key: SECRET, data: 'key' })
  const plan = (twoFactors: SourceUser['twoFactors']) => {
    const problems: string[] = []
    const source = { twoFactorEnabled: true, twoFactors }
    const step = planSecondStep('usr_ada', source, 1, convert, (problem) => problems.push(problem))
    return [step?.method, step?.encryptedSecret, problems[0]?.split(' ', 3).join(' ')]
  }
  const app = ['totp', 'encrypted a2V5', 'the recovery codes']
  for (const verified of [true, 1, null, undefined]) assert.deepEqual(plan([{ secret, verified }]), app)
  const codes = ['otp', null, 'codes by email']
  assert.deepEqual(plan([]), codes)
  assert.deepEqual(plan([{ secret, verified: 'yes' }]), [...app.slice(0, 2), 'the column "verified"'])
  for (const verified of [false, 0]) assert.deepEqual(plan([{ secret, verified }]), codes)
  assert.deepEqual(plan([{ secret: 'damaged' }]), codes)
  assert.equal(
    planSecondStep('usr_ada', { twoFactorEnabled: false, twoFactors: [{ secret }] }, 1, convert, assert.fail),
    undefined,
  )
})

test('A damaged secret of the oldest user is no obstacle, and a secret that decrypts none is refused', async () => {
  const secret = await symmetricEncrypt({ key: SECRET, data: 'key' })
  const check = (sourceSecret: string, ...secrets: string[]) =>
    assertSecretsDecrypt(
      [sourceSecret],
      (async function* () {
        for (const one of secrets) yield [{ secret: one }]
      })(),
    )
  await check(SECRET, '0'.repeat(secret.length), secret, 'damaged')
  await check('another secret')
  await assert.rejects(check('another secret', 'damaged', secret), /neither BETTER_AUTH_SECRET/)
  const convert = createSecretConverter([SECRET], (text) => text)
  assert.deepEqual([convert('damaged'), convert(secret)], [undefined, 'a2V5'])
})

test('With the secret of Better Auth, a user signs in with the same authenticator app', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const source = await startBetterAuth({ engine: 'postgres', baseUrl: service.baseUrl })
  t.after(() => source.stop())
  const user = await signUpAtSource(source)
  const { totpURI } = await post(user.client, '/two-factor/enable', { password: SOURCE_PASSWORD })
  const app = appOfUri(totpURI as string)
  await post(user.client, '/two-factor/verify-totp', { code: app.codeAt(Date.now()) })
  const older = await signUpAtSource(source)
  await post(older.client, '/two-factor/enable', { password: SOURCE_PASSWORD })
  await source.run('update "twoFactor" set secret = ?, verified = true where "userId" = ?', '00'.repeat(60), older.id)
  await source.run('update "user" set "createdAt" = ?, "twoFactorEnabled" = true where id = ?', '2020-01-01', older.id)

  const withSource = async (use: (opened: Source) => Promise<ImportReport>) => {
    const opened = await openSource(source.url)
    return use(opened).finally(opened.close)
  }
  const importWith = (secret: string) =>
    withSource((opened) => importFromBetterAuth(service.context, opened, () => {}, [secret]))
  await assert.rejects(importWith('another secret'), /neither BETTER_AUTH_SECRET nor BETTER_AUTH_SECRETS decrypts/)
  const { database } = service.context
  const users = database.selectFrom('users').select('id').where('email', '=', user.email)
  assert.deepEqual(await users.execute(), [])
  const tried = await withSource((opened) => tryImport(service.context, database, opened, () => {}, [source.secret]))
  const { findings } = await importWith(source.secret)
  assert.deepEqual(tried.findings, findings)

  const client = service.client()
  const { body } = await client.post('/api/auth/sign-in/email', { email: user.email, password: SOURCE_PASSWORD })
  assert.deepEqual(body.twoFactorMethods, ['totp'])
  const code = app.codeAt(service.context.now())
  assert.equal((await client.post('/api/auth/two-factor/verify-totp', { code })).status, 200)
  assert.equal((await client.get('/api/auth/get-session')).body.user.id, user.id)
})
