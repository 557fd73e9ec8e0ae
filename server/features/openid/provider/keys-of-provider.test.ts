import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { createTestApp, signInTo, type TestApp } from '../../../../test/support/openid.ts'
import { secondProcess } from '../../../../test/support/second-process.ts'
import { onEachDatabase, type Service } from '../../../../test/support/service.ts'
import { newMember } from '../../../../test/support/users.ts'
import { rotateSigningKey } from '../../tokens/rotate-signing-key.ts'
import { withdrawSigningKey } from '../../tokens/withdraw-signing-key.ts'

onEachDatabase('keys of the OpenID Connect provider', (service) => {
  const getSecond = secondProcess(service)

  test('ID tokens are signed with the current key, RS256 or ES256 as the client asks, from the next request on, in every process', async () => {
    const user = await newMember(service())
    const apps = await Promise.all(
      (['RS256', 'ES256'] as const).map((id_token_signed_response_alg) =>
        createTestApp(service(), { id_token_signed_response_alg }),
      ),
    )
    const kids = async () =>
      Promise.all(apps.map(async (app) => kidOfIdToken(service(), app, await signInTo(user, app))))
    const pairOf = (id: string) => [id, `${id}-es256`]
    const [first = ''] = await kids()
    assert.deepEqual(await kids(), pairOf(first))

    const { next } = await rotateSigningKey(service().context)
    assert.deepEqual(await kids(), pairOf(first))
    service().advance(next.activeAt - service().context.now())
    assert.deepEqual(await kids(), pairOf(next.id))
    const withdrawal = await withdrawSigningKey((await getSecond()).context, next.id)
    assert.ok(withdrawal.outcome === 'withdrawn' && withdrawal.replacement)
    assert.deepEqual(await kids(), pairOf(withdrawal.replacement.id))
  })

  test('An ID token of a session is a hint for the log-out page, also after the retirement of its signing key', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const { id_token: hint = '' } = await signInTo(user, app)
    const { next } = await rotateSigningKey(service().context)
    service().advance(next.activeAt - service().context.now() + 2 * 3_600_000)
    const path = `/api/auth/oauth2/end-session?${new URLSearchParams({ id_token_hint: hint })}`
    const { status, body } = await user.client.get(path)
    assert.equal(status, 200)
    assert.match(String(body), /asks to sign you out/)
  })
})

/** @returns the `kid`, after the official verification with the published keys */
async function kidOfIdToken({ baseUrl }: Service, app: TestApp, tokens: { id_token?: string }) {
  const token = tokens.id_token ?? ''
  await jwtVerify(token, createRemoteJWKSet(new URL('/api/auth/jwks', baseUrl)), { audience: app.id })
  return decodeProtectedHeader(token).kid
}
