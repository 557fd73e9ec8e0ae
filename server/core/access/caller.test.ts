import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuthenticator } from '../../../test/support/authenticator.ts'
import { RawConnection } from '../../../test/support/raw-connection.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { firstStep, userWithTotp } from '../../../test/support/two-step.ts'
import { administrator, administratorWithOrganization, newEmail, PASSWORD } from '../../../test/support/users.ts'

const REGISTER_OPTIONS = '/api/auth/passkey/generate-register-options'

onEachDatabase('Conflicting credentials', (service) => {
  const send = async (method: string, path: string, headers: string[], body = '') => {
    const { port } = service().config
    const connection = await RawConnection.open(port)
    const lines = [
      `host: localhost:${port}`,
      `origin: http://localhost:${port}`,
      'content-type: application/json',
      ...headers,
    ]
    const head = `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n`
    const [response] = await connection.send(head + body).read()
    connection.socket.destroy()
    return { status: response?.status, body: JSON.parse(response?.body ?? '') }
  }

  test('A request with two different session tokens returns 401 CONFLICTING_CREDENTIALS, in the same header or in two', async () => {
    const { token: a } = await administrator(service())
    const { token: b } = await administrator(service())
    for (const headers of [
      [`authorization: Bearer ${a}`, `authorization: Bearer ${b}`],
      [`authorization: Bearer ${a}`, 'Authorization: Basic abc'],
      ['authorization: Bearer stale', `authorization: Bearer ${b}`],
      [`cookie: session=${a}; session=${b}`],
      [`cookie: session=${a}`, `cookie: session=${b}`],
      [`cookie: session=${a}; other=1; session=`],
      [`authorization: Bearer ${a}`, `cookie: session=${b}`],
      [`authorization: Bearer ${a}`, 'cookie: session=stale'],
    ]) {
      for (const [method, path] of [
        ['GET', '/api/auth/get-session'],
        ['GET', '/api/auth/list-sessions'],
        ['POST', '/api/auth/revoke-sessions'],
        ['POST', '/api/auth/request-password-reset'],
      ] as const) {
        const { status, body } = await send(method, path, headers, method === 'POST' ? '{}' : '')
        assert.deepEqual(
          [status, body.code],
          [401, 'CONFLICTING_CREDENTIALS'],
          `${path} ${headers.join(' ').replaceAll(a, 'a')}`,
        )
      }
    }
  })

  test('A request with the same session token in several headers is authenticated', async () => {
    const { token, email } = await administrator(service())
    for (const headers of [
      [`authorization: Bearer ${token}`, `authorization: bearer ${token}`],
      [`cookie: session=${token}; session=${token}`],
      [`authorization: Bearer ${token}`, `cookie: session=${token}`],
    ])
      assert.equal((await send('GET', '/api/auth/get-session', headers)).body.user.email, email)
  })

  test('sign-in, sign-up and sign-out accept conflicting session tokens, and sign-out revokes each session', async () => {
    const { email } = await administrator(service())
    const conflict = ['authorization: Bearer stale', 'cookie: session=older; session=oldest']
    const signedIn = await send(
      'POST',
      '/api/auth/sign-in/email',
      conflict,
      JSON.stringify({ email, password: PASSWORD }),
    )
    assert.equal(signedIn.status, 200)
    const signUp = JSON.stringify({ email: newEmail(), name: 'Eve', password: PASSWORD })
    assert.equal((await send('POST', '/api/auth/sign-up/email', conflict, signUp)).body.code, 'INVITATION_REQUIRED')
    assert.equal((await send('GET', '/api/auth/passkey/generate-authenticate-options', conflict)).status, 200)
    const withPasskey = await send('GET', `${REGISTER_OPTIONS}?context=inv_x.y&name=Eve`, conflict)
    assert.equal(withPasskey.body.code, 'INVITATION_REQUIRED')
    const { token } = await administrator(service())
    const other = signedIn.body.token
    const signOut = ['authorization: Bearer stale', `cookie: session=${token}; session=${other}`]
    assert.equal((await send('POST', '/api/auth/sign-out', signOut, '{}')).status, 200)
    for (const revoked of [token, other])
      assert.equal((await send('GET', '/api/auth/get-session', [`authorization: Bearer ${revoked}`])).body, null)
  })

  test('The second step of a sign-in accepts conflicting session tokens, and a step-up refuses them', async () => {
    const { email, token, app } = await userWithTotp(service())
    const { twoFactorToken } = (await firstStep(service().client(), email)).body
    const verify = (credentials: string[], body = {}) =>
      send(
        'POST',
        '/api/auth/two-factor/verify-totp',
        credentials,
        JSON.stringify({ code: app.codeAt(service().context.now()), ...body }),
      )
    const stepUp = await verify([`authorization: Bearer ${token}`, 'cookie: session=stale'])
    assert.deepEqual([stepUp.status, stepUp.body.code], [401, 'CONFLICTING_CREDENTIALS'])
    const conflict = ['authorization: Bearer stale', `cookie: session=older; two-factor=${twoFactorToken}`]
    assert.equal((await verify(conflict)).status, 200)
  })

  test('A new passkey in a session refuses conflicting session tokens', async () => {
    const { token } = await administrator(service())
    const conflict = ['authorization: Bearer stale', `cookie: session=${token}`]
    const { body: options } = await send('GET', REGISTER_OPTIONS, [`authorization: Bearer ${token}`])
    const body = JSON.stringify({ response: createAuthenticator(service().baseUrl).create(options) })
    for (const { status, body: answer } of [
      await send('GET', REGISTER_OPTIONS, conflict),
      await send('POST', '/api/auth/passkey/verify-registration', conflict, body),
    ])
      assert.deepEqual([status, answer.code], [401, 'CONFLICTING_CREDENTIALS'])
  })

  test('sign-in returns 401 CONFLICTING_CREDENTIALS for more than four session tokens, each of which costs a query', async () => {
    const { email } = await administrator(service())
    const signIn = async (count: number) => {
      const tokens = Array.from({ length: count }, (_, index) => `session=stale${index}`)
      const body = JSON.stringify({ email, password: PASSWORD })
      const answer = await send('POST', '/api/auth/sign-in/email', [`cookie: ${tokens.join('; ')}`], body)
      return [answer.status, answer.body.code]
    }
    assert.deepEqual(await signIn(4), [200, undefined])
    assert.deepEqual(await signIn(5), [401, 'CONFLICTING_CREDENTIALS'])
  })

  test('An authorization header with another scheme than Bearer does not authenticate', async () => {
    const { token } = await administrator(service())
    for (const scheme of ['Basic', 'Token', 'Bearer2'])
      assert.equal(
        (await send('GET', '/api/auth/get-session', [`authorization: ${scheme} ${token}`])).body,
        null,
        scheme,
      )
  })

  test('An API key that conflicts with another API key or a session returns 401 CONFLICTING_CREDENTIALS', async () => {
    const { client, organization, token } = await administratorWithOrganization(service())
    const created = await client.post('/api/auth/api-key/create', { organizationId: organization.id, name: 'Job' })
    const { key } = created.body
    const path = `/api/token?org=${organization.slug}`
    for (const headers of [
      [`x-api-key: ${key}`, 'x-api-key: other'],
      ['x-api-key: other', `x-api-key: ${key}`],
      [`x-api-key: ${key}`, `authorization: Bearer ${token}`],
      [`x-api-key: ${key}`, 'cookie: session=stale'],
    ])
      assert.equal((await send('GET', path, headers)).body.code, 'CONFLICTING_CREDENTIALS', headers.join(' '))
    assert.equal((await send('GET', path, [`x-api-key: ${key}`, `x-api-key: ${key}`])).status, 200)
  })
})
