import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestApp } from '../support/openid.ts'
import { askToken, basic, newCodeForm, postForm } from '../support/protocol.ts'
import { type Service, startService } from '../support/service.ts'
import { listStoredRows } from '../support/stored-rows.ts'
import { askUserinfo, exchange, introspect, refresh, revoke } from '../support/token-requests.ts'
import { newMember } from '../support/users.ts'

const AUTH = '/api/auth'
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Every flow once, also with refused requests. @returns everything secret that was sent or received */
async function runFlows(service: Service): Promise<string[]> {
  const user = await newMember(service)
  const app = await createTestApp(service)
  const posting = await createTestApp(service, { token_endpoint_auth_method: 'client_secret_post' })
  const first = await newCodeForm(user, app)
  const unredeemed = await newCodeForm(user, app)
  const { body: tokens } = await askToken(service, app, first)
  const { body: refreshed } = await refresh(service, app, tokens.refresh_token)
  const { body: exchanged } = await exchange(service, app, refreshed.access_token)
  const machine = { grant_type: 'client_credentials', client_id: posting.id, client_secret: posting.secret }
  const { body: ofMachine } = await postForm(service, `${AUTH}/oauth2/token`, machine)
  const credentials = { client_id: posting.id, client_secret: posting.secret }
  const { body: device } = await postForm(service, `${AUTH}/device/code`, { scope: 'openid', ...credentials })
  const { body: denied } = await postForm(service, `${AUTH}/device/code`, { scope: 'openid' }, basic(app))
  const { body: waiting } = await postForm(service, `${AUTH}/device/code`, { scope: 'openid' }, basic(app))
  await user.client.get(`${AUTH}/device?user_code=${device.user_code}`)
  await user.client.post(`${AUTH}/device/approve`, { userCode: device.user_code })
  await user.client.post(`${AUTH}/device/deny`, { userCode: denied.user_code })
  const poll = { grant_type: DEVICE_GRANT, device_code: device.device_code, ...credentials }
  const { body: ofDevice } = await postForm(service, `${AUTH}/oauth2/token`, poll)
  const secrets = [
    ...[first, unredeemed].flatMap(({ code = '', code_verifier = '' }) => [code, code_verifier]),
    ...[tokens, refreshed, exchanged, ofMachine, ofDevice].flatMap((body) => [
      body.access_token,
      body.refresh_token,
      body.id_token,
    ]),
    ...[device, denied, waiting].flatMap(({ device_code, user_code }) => [
      device_code,
      user_code,
      user_code.replace('-', ''),
    ]),
    ...[app.secret, posting.secret, user.token],
  ].filter((secret) => secret !== undefined)
  // Each secret is sent in each place where a secret is not valid.
  for (const secret of secrets) {
    await introspect(service, app, secret)
    await revoke(service, posting, secret)
    await askUserinfo(service, secret)
    await refresh(service, app, secret)
    await exchange(service, app, secret)
    await askToken(service, app, { ...unredeemed, code: secret })
    await askToken(service, app, { grant_type: DEVICE_GRANT, device_code: secret })
    await askToken(service, { ...app, secret }, unredeemed)
    await user.client.get(`${AUTH}/oauth2/authorize?client_id=${secret}&login_hint=${secret}&request_uri=${secret}`)
    await user.client.get(`${AUTH}/oauth2/end-session?id_token_hint=${secret}`)
  }
  await user.client.get(`${AUTH}/oauth2/end-session?id_token_hint=${tokens.id_token}`)
  return secrets
}

for (const engine of ['sqlite', 'postgres'] as const)
  test(`CVE-2025-11537, CVE-2024-4540: no code, token or secret of OpenID Connect is stored or logged (${engine})`, async (t) => {
    let log = ''
    const service = await startService({
      engine,
      environment: { USER_CHANGES_PER_MINUTE: '1000000' },
      onLog: (line) => {
        log += line
      },
    })
    t.after(() => service.stop())
    const secrets = await runFlows(service)
    assert.ok(secrets.length > 25)
    assert.ok(log.split('\n').length > 100)
    const replacer = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
    const stored = JSON.stringify(await listStoredRows(service.context.database), replacer)
    for (const [index, secret] of secrets.entries()) {
      assert.ok(secret.length >= 8)
      assert.ok(!log.includes(secret), `the log contains secret ${index}: ${excerpt(log, secret)}`)
      assert.ok(!stored.includes(secret), `the database contains secret ${index}: ${excerpt(stored, secret)}`)
    }
  })

function excerpt(text: string, secret: string): string {
  const at = text.indexOf(secret)
  return text.slice(Math.max(0, at - 300), at + 50)
}
