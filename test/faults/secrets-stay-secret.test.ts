import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, Client } from '../support/client.ts'
import { startService } from '../support/service.ts'
import { listStoredRows } from '../support/stored-rows.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  member,
  newEmail,
  PASSWORD,
  signUp,
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
    for (const secret of secrets) {
      assert.ok(secret.length > 20)
      assert.ok(!log.includes(secret), 'the log contains a secret')
      for (const { body } of [...errors, ...lists])
        assert.ok(!JSON.stringify(body).includes(secret), JSON.stringify(body))
    }
  })

  test(`No string of a stolen database is accepted as a credential (${engine})`, async (t) => {
    const service = await startService({ engine })
    t.after(() => service.stop())
    const inviter = await administratorWithOrganization(service)
    const invited = await invite(service, inviter, newEmail())
    await member(service, inviter)
    const { body: created } = await inviter.client.post('/api/auth/api-key/create', { name: 'Export' })
    await service.client().post('/api/auth/request-password-reset', { email: inviter.email })
    const secrets = [inviter.token, invited.linkPath, created.key, await tokenIn(service, inviter.email)]
    const values = (await listStoredRows(service.context.database)).flatMap((row): unknown[] => Object.values(row))
    const stolen = [...new Set(values.filter((value) => typeof value === 'string'))]
    assert.ok(stolen.length > 50)
    for (const secret of secrets) assert.ok(secret.length > 20 && !stolen.some((text) => text.includes(secret)))
    for (const text of stolen.filter((candidate) => /^[\x21-\x7e]{16,300}$/.test(candidate))) {
      const client = service.client()
      const bearer = { headers: { authorization: `Bearer ${text}` } }
      assert.equal((await client.get('/api/auth/get-session', bearer)).body, null, text)
      assert.equal(
        (await client.get(`/api/token?org=${inviter.organization.slug}`, { headers: { 'x-api-key': text } })).status,
        401,
      )
      const opened = await client.get(`/invite/${invited.invitationId}.${encodeURIComponent(text)}`)
      assert.match(opened.headers.get('location') ?? 'refused', /error=|refused/)
      const reset = await client.post('/api/auth/reset-password', {
        newPassword: 'a perfectly fine password',
        token: text,
      })
      assert.equal(reset.status, 400, text)
    }
  })
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
