import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteExpiredGrants } from '../../server/core/client-sessions/grant-store.ts'
import { HOUR_MILLISECONDS } from '../../server/platform/time/time-units.ts'
import { authorizationRequest, codeIn, createTestApp, payloadOf, type TestApp } from '../support/openid.ts'
import { askToken, codeForm, interactionIn, newCodeForm } from '../support/protocol.ts'
import { onEachDatabase } from '../support/service.ts'
import { exchange, introspect, refresh, revoke } from '../support/token-requests.ts'
import { administratorWithOrganization, member, signedIn, type TestMember } from '../support/users.ts'

const AUTH = '/api/auth'
const REFUSED = 400

onEachDatabase('The removal of a user from an organization', (service) => {
  const database = () => service().context.database

  async function openScene() {
    const boss = await administratorWithOrganization(service())
    const user = await member(service(), boss)
    const app = await createTestApp(service(), { backchannel_logout_uri: 'https://app.example.com/log-out' })
    return { boss, user, app }
  }
  const logOutsOf = ({ id }: TestMember) =>
    database().selectFrom('oauthLogouts').select('sid').where('userId', '=', id).execute()
  const grantsOf = ({ id }: TestMember) =>
    database().selectFrom('oauthGrants').selectAll().where('userId', '=', id).execute()
  const removals: Record<string, (boss: TestMember, user: TestMember) => Promise<{ status: number }>> = {
    'remove-member': ({ client, organization }, { email }) =>
      client.post(`${AUTH}/organization/remove-member`, { memberIdOrEmail: email, organizationId: organization.id }),
    leave: ({ organization }, { client }) =>
      client.post(`${AUTH}/organization/leave`, { organizationId: organization.id }),
    'delete organization': ({ client, organization }) =>
      client.post(`${AUTH}/organization/delete`, { organizationId: organization.id }),
  }

  async function signIn(user: TestMember, app: TestApp) {
    const form = await newCodeForm(user, app)
    const { body } = await askToken(service(), app, form)
    assert.equal(payloadOf(body.id_token).org_id, user.organization.id)
    service().advance(40_000)
    return { form, tokens: body }
  }
  type SignedIn = Awaited<ReturnType<typeof signIn>>

  const endings: Record<string, (app: TestApp, signedIn: SignedIn) => Promise<void>> = {
    async 'revoked its access token'(app, { tokens }) {
      assert.equal((await revoke(service(), app, tokens.access_token)).status, 200)
    },
    async 'sent its code again'(app, { form }) {
      assert.equal((await askToken(service(), app, form)).status, REFUSED)
    },
    async 'sent a replaced refresh token again'(app, { tokens }) {
      const { body } = await refresh(service(), app, tokens.refresh_token)
      await refresh(service(), app, body.refresh_token)
      service().advance(40_000)
      assert.equal((await refresh(service(), app, tokens.refresh_token)).status, REFUSED)
    },
  }
  for (const [removal, remove] of Object.entries(removals))
    for (const [name, end] of Object.entries(endings))
      test(`${removal} logs the user out of an app that ${name} before`, async () => {
        const { boss, user, app } = await openScene()
        const signedIn = await signIn(user, app)
        await end(app, signedIn)
        const { body } = await introspect(service(), app, signedIn.tokens.access_token)
        assert.deepEqual(body, { active: false })
        assert.equal((await remove(boss, user)).status, 200)
        const sids = (await logOutsOf(user)).map(({ sid }) => sid)
        assert.deepEqual(sids, [payloadOf(signedIn.tokens.id_token).sid])
      })

  test('An app that revokes the access of each sign-in leaves one grant without scopes for all of them', async () => {
    const { boss, user, app } = await openScene()
    for (let time = 0; time < 3; time += 1) {
      const { tokens } = await signIn(user, app)
      await revoke(service(), app, tokens.access_token)
    }
    const { body: apps } = await user.client.get(`${AUTH}/oauth2/list-apps`)
    assert.deepEqual([apps.length, apps[0].scopes], [1, []])
    const [grant, ...others] = await grantsOf(user)
    assert.deepEqual([grant?.scopes, grant?.organizationId, others.length], ['', boss.organization.id, 0])
    await removals['remove-member']?.(boss, user)
    assert.equal((await logOutsOf(user)).length, 1)
  })

  test('leave logs the user out of the session whose access an app revoked, beside one of another session', async () => {
    const { boss, user, app } = await openScene()
    const first = await signIn(user, app)
    const again = await signedIn(service(), user.email)
    const second = await signIn({ ...again, organization: boss.organization }, app)
    await revoke(service(), app, first.tokens.access_token)
    assert.equal((await removals.leave?.(boss, user))?.status, 200)
    const sids = [first, second].map(({ tokens }) => payloadOf(tokens.id_token).sid)
    assert.deepEqual((await logOutsOf(user)).map(({ sid }) => sid).sort(), sids.sort())
  })

  test('leave logs the user out of an app that revoked the access, beside one to another organization', async () => {
    const { boss, user, app } = await openScene()
    const { slug } = boss.organization
    const other = await user.client.post(`${AUTH}/organization/create`, { name: 'Other', slug: `other-${slug}` })
    assert.equal(other.status, 200)
    const signInTo = async (organization: string) =>
      (await askToken(service(), app, await newCodeForm(user, app, { organization }))).body
    const tokens = await signInTo(slug)
    await signInTo(other.body.slug)
    await revoke(service(), app, tokens.access_token)
    assert.equal((await removals.leave?.(boss, user))?.status, 200)
    const sids = (await logOutsOf(user)).map(({ sid }) => sid)
    assert.deepEqual(sids, [payloadOf(tokens.id_token).sid])
  })

  test('leave logs the user out of an app that revoked the access an hour after it exchanged the token', async () => {
    const { boss, user, app } = await openScene()
    const { tokens } = await signIn(user, app)
    const { status } = await exchange(service(), app, tokens.access_token)
    assert.equal(status, 200)
    await revoke(service(), app, tokens.refresh_token)
    service().advance(HOUR_MILLISECONDS)
    await deleteExpiredGrants(database(), service().context.now(), 100)
    assert.equal((await removals.leave?.(boss, user))?.status, 200)
    const sids = (await logOutsOf(user)).map(({ sid }) => sid)
    assert.deepEqual(sids, [payloadOf(tokens.id_token).sid])
  })

  for (const [name, isOwnApp] of [
    ['changes nothing at an app of the service', false],
    ['ends the session at an app of the organization', true],
  ] as const)
    test(`The removal ${name} when the user left the scope out of the consent`, async () => {
      const { boss, user } = await openScene()
      const organizationId = isOwnApp ? boss.organization.id : null
      const metadata = { backchannel_logout_uri: 'https://app.example.com/log-out' } as const
      const app = await createTestApp(service(), metadata, { skipConsent: 0, organizationId })
      const request = await authorizationRequest(app, { scope: 'openid organization' })
      const { query, resumePath } = interactionIn(await user.client.get(request.path), '/consent')
      await user.client.post(`${AUTH}/oauth2/consent`, { accept: true, scope: 'openid', oauth_query: query })
      const code = codeIn(await user.client.get(resumePath))
      const { body: tokens } = await askToken(service(), app, codeForm(code, request.codeVerifier))
      assert.deepEqual([tokens.scope, payloadOf(tokens.id_token).org_id], ['openid', undefined])
      assert.equal((await removals['remove-member']?.(boss, user))?.status, 200)
      const { active } = (await introspect(service(), app, tokens.access_token)).body
      assert.deepEqual([active, (await logOutsOf(user)).length], isOwnApp ? [false, 1] : [true, 0])
    })
})
