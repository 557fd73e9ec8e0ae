import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DEVICE_COOKIE, TRUSTED_DEVICE_COOKIE } from '../../server/platform/http/cookies.ts'
import type { Answer, Client } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { appOfUri, enableEmailCodes, firstStep } from '../support/two-step.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  member,
  PASSWORD,
  signUp,
  type TestMember,
  tokenIn,
} from '../support/users.ts'

const WRONG_PASSWORD = 'a wrong guess, which is the password of another service'

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`CVE-2025-11537, CVE-2024-32967: no log line, error or list contains an issued or sent secret (${engine})`, async (t) => {
    let log = ''
    const service = await startService({
      engine,
      onLog: (line) => {
        log += line
      },
    })
    t.after(() => service.stop())
    const setupToken = await service.setupToken()
    const ada = await administrator(service)
    const inviter = await administratorWithOrganization(service, { 'client-code': 'EW-1' })
    const invited = await invite(service, inviter)
    const hire = await signUp(service, invited)
    const colleague = await member(service, inviter)
    const issued = await colleague.client.get(`/api/token?org=${inviter.organization.slug}`)
    const app = { grant_types: ['client_credentials'] }
    const connected = await inviter.client.post('/api/auth/oauth2/create-client', app)
    const { client_id } = connected.body
    const rotated = await inviter.client.post('/api/auth/oauth2/client/rotate-secret', { client_id })
    const created = await inviter.client.post('/api/auth/api-key/create', { name: 'Export' })
    const secrets = [
      setupToken,
      PASSWORD,
      WRONG_PASSWORD,
      ada.token,
      inviter.token,
      hire.token,
      colleague.token,
      issued.body.token,
      connected.body.client_secret,
      rotated.body.client_secret,
      created.body.key,
    ]
    secrets.push(invited.linkPath.split('.').at(-1) ?? '', service.config.secret)
    const twoStepUser = await member(service, inviter)
    secrets.push(...(await sendTwoStepSecrets(t, service, twoStepUser)))
    secrets.push(await sendCode(service, await member(service, inviter)))

    const errors = await collectErrors(service.client(), colleague.client, secrets)
    assert.ok(errors.length > 10)
    assert.ok(log.split('\n').length > 30, 'the log was written')
    const lists = await Promise.all(
      [
        '/api/auth/organization/list',
        '/api/auth/openapi.json',
        '/api/auth/jwks',
        '/api/auth/oauth2/get-clients',
        '/api/auth/api-key/list',
        '/api/auth/organization/list-audit-events',
      ].map((path) => inviter.client.get(path)),
    )
    const listsOfUser = await Promise.all(
      ['list-security-events', 'two-factor/get-status', 'two-factor/list-trusted-devices'].map((path) =>
        twoStepUser.client.get(`/api/auth/${path}`),
      ),
    )
    for (const secret of secrets) {
      assert.ok(!hasSecret(log, secret), `the log contains ${secret}`)
      for (const { body } of [...errors, ...lists, ...listsOfUser])
        assert.ok(!hasSecret(JSON.stringify(body), secret), JSON.stringify(body))
    }
  })
}

/** A mailed code has six digits, which longer numbers may contain. */
function hasSecret(text: string, secret: string): boolean {
  assert.ok(secret.length > 5)
  return secret.length > 6 ? text.includes(secret) : new RegExp(`\\b${secret}\\b`).test(text)
}

/** Sets two-step verification up, trusts the device, begins a sign-in and a reset. @returns the secrets of the responses */
async function sendTwoStepSecrets(t: TestContext, service: Service, { client, email }: TestMember): Promise<string[]> {
  const verify = t.mock.method(service.context.passwords, 'verify', async () => true)
  const { totpURI, backupCodes } = (await client.post('/api/auth/two-factor/enable', { password: PASSWORD })).body
  const code = appOfUri(totpURI).codeAt(service.context.now())
  const trusted = await client.post('/api/auth/two-factor/verify-totp', { code, trustDevice: true })
  assert.equal(trusted.status, 200)
  const { twoFactorToken } = (await firstStep(service.client(), email)).body
  verify.mock.restore()
  await service.client().post('/api/auth/request-password-reset', { email })
  const cookies = [TRUSTED_DEVICE_COOKIE, DEVICE_COOKIE].map((name) => client.cookies.get(name) ?? '')
  const totpSecret = new URL(totpURI).searchParams.get('secret') ?? ''
  return [totpSecret, backupCodes[0], backupCodes[1], twoFactorToken, await tokenIn(service, email), ...cookies]
}

/** @returns the code that the email contains */
async function sendCode(service: Service, { client, email, id }: TestMember): Promise<string> {
  await enableEmailCodes(service, { id })
  await client.post('/api/auth/two-factor/send-otp')
  return (await service.emails(email))[0]?.text.match(/\b\d{6}\b/)?.[0] ?? ''
}

/** Sends every secret in wrong fields and returns the refused responses. */
async function collectErrors(anonymous: Client, signedIn: Client, secrets: string[]): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const [index, secret] of secrets.entries()) {
    const headers = { 'x-forwarded-for': `192.0.2.${index}` }
    answers.push(
      await anonymous.post('/api/auth/sign-in/email', { email: 'unknown@example.com', password: secret }, { headers }),
    )
    answers.push(await anonymous.post('/api/auth/reset-password', { newPassword: secret, token: secret }, { headers }))
    answers.push(await anonymous.post('/api/auth/sign-in/email', { email: secret, password: secret }, { headers }))
    answers.push(
      await anonymous.post('/api/setup', { token: secret, name: secret, email: secret, password: secret }, { headers }),
    )
    answers.push(await anonymous.get(`/nothing/${encodeURIComponent(secret)}?token=${encodeURIComponent(secret)}`))
    answers.push(await anonymous.get(`/api/token?org=${encodeURIComponent(secret)}`))
    answers.push(await signedIn.get(`/api/token?org=${encodeURIComponent(secret)}`))
    answers.push(await signedIn.post('/api/auth/organization/create', { name: secret, [secret.slice(0, 5)]: secret }))
  }
  return answers.filter(({ status }) => status >= 400)
}
