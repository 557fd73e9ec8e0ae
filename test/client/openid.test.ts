import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import {
  type Configuration,
  clientCredentialsGrant,
  fetchUserInfo,
  genericGrantRequest,
  initiateDeviceAuthorization,
  pollDeviceAuthorizationGrant,
  refreshTokenGrant,
  tokenIntrospection,
  tokenRevocation,
} from 'openid-client'
import { createTestApp, payloadOf, signInTo } from '../support/openid.ts'
import { onEachDatabase } from '../support/service.ts'
import { newMember } from '../support/users.ts'

/** RFC 6749, section 5.2. */
function refusal(error: string) {
  return ({ cause }: Error) => (cause as { error?: string })?.error === error
}

onEachDatabase('openid-client', (service) => {
  const verify = async (token: string, config: Configuration) =>
    jwtVerify(token, createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri ?? '')), {
      issuer: service().baseUrl,
      audience: 'accounts-services',
      typ: 'at+jwt',
    })

  test('A user signs in to a first-party app, whose access token has the claims of /api/token', async () => {
    const user = await newMember(service(), 'owner')
    const app = await createTestApp(service())
    const tokens = await signInTo(user, app, { nonce: 'nonce of the client' })
    const { payload } = await verify(tokens.access_token, app.config)
    const { organization } = user
    const { body } = await user.client.get(`/api/token?org=${organization.slug}`)
    const { iat, exp, jti, ...expected } = payloadOf(body.token)
    assert.deepEqual(
      Object.keys(expected).map((name) => [name, payload[name]]),
      Object.entries(expected),
    )
    assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 900)
    const claims = tokens.claims()
    assert.deepEqual(
      [claims?.sub, claims?.email, claims?.org_slug, claims?.nonce, claims?.sid],
      [user.id, user.email, organization.slug, 'nonce of the client', payload.sid],
    )
    const information = await fetchUserInfo(app.config, tokens.access_token, user.id)
    assert.deepEqual([information.email, information.org_role], [user.email, 'owner'])
  })

  test('A refresh token is replaced with each use, and revocation ends the access token too', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const first = await signInTo(user, app)
    const second = await refreshTokenGrant(app.config, first.refresh_token ?? '')
    assert.notEqual(second.refresh_token, first.refresh_token)
    assert.equal((await tokenIntrospection(app.config, second.access_token)).active, true)
    await tokenRevocation(app.config, second.refresh_token ?? '')
    assert.deepEqual(await tokenIntrospection(app.config, second.access_token), { active: false })
    await assert.rejects(refreshTokenGrant(app.config, second.refresh_token ?? ''), refusal('invalid_grant'))
  })

  test('A machine gets a token with its secret', async () => {
    const app = await createTestApp(service())
    const { access_token } = await clientCredentialsGrant(app.config, { resource: 'https://api.example.com' })
    const { payload } = await verify(access_token, app.config)
    assert.deepEqual([payload.sub, payload.aud], [app.id, ['https://api.example.com', 'accounts-services']])
    assert.equal((await tokenIntrospection(app.config, access_token)).active, true)
  })

  test('A service exchanges the token of a user for one that names the service as the actor', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const { access_token } = await signInTo(user, app)
    const exchanged = await genericGrantRequest(app.config, 'urn:ietf:params:oauth:grant-type:token-exchange', {
      subject_token: access_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      resource: 'https://other.example.com',
    })
    const { payload } = await verify(exchanged.access_token, app.config)
    assert.deepEqual([payload.sub, payload.act, payload.org_role], [user.id, { sub: app.id }, 'member'])
    assert.equal(exchanged.refresh_token, undefined)
  })

  test('A device gets tokens when the user has approved its code', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const device = await initiateDeviceAuthorization(app.config, { scope: 'openid organization offline_access' })
    const path = `/api/auth/device?user_code=${device.user_code.toLowerCase().replace('-', ' ')}`
    const { body } = await user.client.get(path)
    assert.deepEqual([body.status, body.client.clientId, body.userCode], ['pending', app.id, device.user_code])
    const approved = await user.client.post('/api/auth/device/approve', { userCode: device.user_code })
    assert.deepEqual([approved.status, approved.body], [200, { success: true }])
    const tokens = await pollDeviceAuthorizationGrant(app.config, { ...device, interval: 0 })
    assert.equal(tokens.claims()?.org_role, 'member')
    assert.ok(tokens.refresh_token)
    await assert.rejects(pollDeviceAuthorizationGrant(app.config, { ...device, interval: 0 }), refusal('invalid_grant'))
  })
})
