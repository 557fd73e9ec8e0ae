import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuthenticator } from '../../../../test/support/authenticator.ts'
import type { Client } from '../../../../test/support/client.ts'
import { authenticateOptions, registerOptions, userWithPasskey } from '../../../../test/support/passkeys.ts'
import { onEachDatabase, type Service } from '../../../../test/support/service.ts'
import { administratorWithOrganization, invite, newEmail } from '../../../../test/support/users.ts'

const OPTIONS = '/api/auth/passkey/generate-register-options'
const REGISTER = '/api/auth/passkey/verify-registration'
const SIGN_IN = '/api/auth/passkey/verify-authentication'

function cookieless(service: Service): Client {
  const client = service.client()
  const clear = () => client.cookies.clear()
  return {
    ...client,
    get: (path, options) => client.get(path, options).finally(clear),
    post: (path, body, options) => client.post(path, body, options).finally(clear),
  }
}

onEachDatabase('Passkeys of a client without cookies', (service) => {
  const reference = async (email = newEmail()) => {
    const { linkPath } = await invite(service(), await administratorWithOrganization(service()), email)
    return linkPath.split('/').at(-1) ?? ''
  }
  const query = (context: string) => `?name=Hilda%20Hire&context=${encodeURIComponent(context)}`

  test('verify-authentication accepts the binding of the options', async () => {
    const { authenticator, id } = await userWithPasskey(service())
    const client = cookieless(service())
    const options = await authenticateOptions(client)
    const answer = await client.post(SIGN_IN, { response: authenticator.get(options), binding: options.binding })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.equal(answer.body.user.id, id)
    const headers = { authorization: `Bearer ${answer.headers.get('set-auth-token')}` }
    const bound = (await client.get('/api/auth/passkey/generate-authenticate-options', { headers })).body
    assert.equal(bound.binding, undefined, 'a session is the binding of its own ceremonies')
    const again = await client.post(SIGN_IN, { response: authenticator.get(bound) }, { headers })
    assert.equal(again.status, 200, JSON.stringify(again.body))
  })

  test('verify-authentication refuses a missing and an unknown binding, and one of another ceremony', async () => {
    const { authenticator } = await userWithPasskey(service())
    const client = cookieless(service())
    const { binding: other } = await authenticateOptions(client)
    for (const binding of [undefined, 'A'.repeat(43), other]) {
      const response = authenticator.get(await authenticateOptions(client))
      const answer = await client.post(SIGN_IN, { response, ...(binding !== undefined && { binding }) })
      assert.deepEqual([answer.status, answer.body.code], [400, 'CHALLENGE_FROM_ELSEWHERE'])
    }
  })

  test('verify-authentication accepts a binding once', async () => {
    const { authenticator } = await userWithPasskey(service())
    const client = cookieless(service())
    const options = await authenticateOptions(client)
    const body = { response: authenticator.get(options), binding: options.binding }
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.post(SIGN_IN, body)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400])
  })

  test('Login CSRF: verify-authentication refuses a binding from a page of another site', async () => {
    const { authenticator } = await userWithPasskey(service())
    const attacker = cookieless(service())
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${service().baseUrl}.evil.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const options = await authenticateOptions(attacker)
      const body = { response: authenticator.get(options), binding: options.binding }
      const answer = await service()
        .client()
        .post(SIGN_IN, body, { headers: headers as Record<string, string> })
      assert.deepEqual([answer.status, answer.body.code], [403, 'INVALID_ORIGIN'], JSON.stringify(headers))
      assert.equal(answer.headers.getSetCookie().length, 0)
    }
  })

  test("Login CSRF: the binding does not reveal the browser's cookie", async () => {
    const client = service().client()
    const { binding } = await authenticateOptions(client)
    assert.notEqual(binding, client.cookies.get('passkey'))
    assert.match(binding, /^[A-Za-z0-9_-]{43}$/)
  })

  test('The options replace a cookie that is no token of the service', async () => {
    for (const cookie of ['x', 'A'.repeat(42), `${'A'.repeat(42)}=`]) {
      const client = service().client()
      client.cookies.set('passkey', cookie)
      await authenticateOptions(client)
      assert.match(client.cookies.get('passkey') ?? '', /^[\w-]{43}$/, cookie)
    }
  })

  test("verify-registration signs up with the invitation's reference as context, and the binding", async () => {
    const client = cookieless(service())
    const email = newEmail()
    const options = await registerOptions(client, query(await reference(email)))
    const response = createAuthenticator(service().baseUrl).create(options)
    const unbound = await client.post(REGISTER, { response })
    assert.deepEqual([unbound.status, unbound.body.code], [401, 'UNAUTHORIZED'])
    const answer = await client.post(REGISTER, { response, binding: options.binding })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.deepEqual([answer.body.user.email, answer.body.user.emailVerified], [email, true])
  })

  test('verify-registration signs up in a browser with the reference as context, as the official client sends it', async () => {
    const client = service().client()
    const options = await registerOptions(client, query(await reference()))
    const response = createAuthenticator(service().baseUrl).create(options)
    assert.equal((await client.post(REGISTER, { response, name: 'Hilda Hire' })).status, 200)
  })

  test('generate-register-options refuses a reference that is unknown, changed or renewed', async () => {
    const email = newEmail()
    const inviter = await administratorWithOrganization(service())
    const { linkPath } = await invite(service(), inviter, email)
    const good = linkPath.split('/').at(-1) ?? ''
    const client = cookieless(service())
    const crooked = ['x', good.slice(0, -1), `${good}A`, good.replace(/^inv_./, 'inv_v'), good.toUpperCase()]
    for (const context of crooked) {
      const answer = await client.get(OPTIONS + query(context))
      assert.deepEqual([answer.status, answer.body.code], [400, 'INVITATION_REQUIRED'], context)
    }
    const options = await registerOptions(client, query(good))
    const renewal = { email, role: 'member', resend: true, organizationId: inviter.organization.id }
    assert.equal((await inviter.client.post('/api/auth/organization/invite-member', renewal)).status, 200)
    const response = createAuthenticator(service().baseUrl).create(options)
    const answer = await client.post(REGISTER, { response, binding: options.binding })
    assert.deepEqual([answer.status, answer.body.code], [400, 'INVITATION_REQUIRED'])
  })
})
