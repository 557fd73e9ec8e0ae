import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as oauth from 'oauth4webapi'
import { authorizationRequest, codeIn, createTestApp, locationOf, payloadOf, REDIRECT_URI } from '../support/openid.ts'
import { onEachDatabase } from '../support/service.ts'
import { newMember } from '../support/users.ts'

const INSECURE = { [oauth.allowInsecureRequests]: true }

onEachDatabase('oauth4webapi', (service) => {
  test('A browser app without a secret binds its tokens to its key (DPoP)', async () => {
    const user = await newMember(service())
    const { id } = await createTestApp(service(), { token_endpoint_auth_method: 'none' })
    const issuer = new URL(service().baseUrl)
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, INSECURE))
    const client: oauth.Client = { client_id: id }
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256', { extractable: false }))

    const { path, codeVerifier } = await authorizationRequest({ id })
    const answer = await user.client.get(path)
    codeIn(answer)
    const parameters = oauth.validateAuthResponse(server, client, locationOf(answer), 'state of the client')
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      parameters,
      REDIRECT_URI,
      codeVerifier,
      { ...INSECURE, DPoP },
    )
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response)
    assert.equal(tokens.token_type, 'dpop')
    assert.ok((payloadOf(tokens.access_token).cnf as { jkt: string }).jkt)

    const withProof = await oauth.userInfoRequest(server, client, tokens.access_token, { ...INSECURE, DPoP })
    const information = await oauth.processUserInfoResponse(server, client, user.id, withProof)
    assert.equal(information.email, user.email)
    const withoutProof = await oauth.userInfoRequest(server, client, tokens.access_token, INSECURE)
    assert.equal(withoutProof.status, 401)
  })
})
