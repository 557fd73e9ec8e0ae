import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refreshTokenGrant } from 'openid-client'
import type { Answer } from '../../../../test/support/client.ts'
import { afterTransactions, type ConcurrentStep, concurrently } from '../../../../test/support/concurrently.ts'
import {
  authorizationRequest,
  createTestApp,
  locationOf,
  payloadOf,
  signInTo,
  type TestApp,
} from '../../../../test/support/openid.ts'
import { askToken, basic, newCodeForm, postForm, refusalOf } from '../../../../test/support/protocol.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { afterStatement } from '../../../../test/support/statements.ts'
import { askUserinfo, exchange, introspect, refresh } from '../../../../test/support/token-requests.ts'
import { newMember } from '../../../../test/support/users.ts'
import { OPERATOR } from '../../../core/audit/actor.ts'
import { deleteClientSessions } from '../../../core/client-sessions/store.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockOrganizationForUpdate } from '../../../core/memberships/lock-membership.ts'
import { deleteConsent, saveConsent } from '../../../core/oauth-consents/store.ts'
import { lockSessionsOfUserForUpdate } from '../../../core/sessions/lock-sessions.ts'
import { hashToken, newToken } from '../../../platform/crypto/tokens.ts'

function clientDeletion(id: string): ConcurrentStep {
  return {
    // The statement of a deletion locks the client before it deletes the rows that refer to it.
    begin: (transaction) =>
      transaction.selectFrom('oauthClients').select('id').where('id', '=', id).forUpdate().execute(),
    finish: (transaction) => transaction.deleteFrom('oauthClients').where('id', '=', id).execute(),
  }
}

onEachDatabase('concurrent endings', (service) => {
  const sidOf = async (app: TestApp, form: Record<string, string>) =>
    payloadOf((await askToken(service(), app, form)).body.id_token).sid

  test('Two concurrent first sign-ins of a session at an app have one sid', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const signIn = () => newCodeForm(user, app)
    let first: Record<string, string> = {}
    const second = await afterTransactions(service(), 0, async () => (first = await signIn()), signIn)
    assert.equal(await sidOf(app, second), await sidOf(app, first))
    const sessions = service().context.database.selectFrom('clientSessions').select('sid')
    assert.equal((await sessions.where('clientId', '=', app.id).execute()).length, 1)
  })

  test('A sign-in that is concurrent with the end of its session at the app has a new sid', async () => {
    const { database } = service().context
    const user = await newMember(service())
    const app = await createTestApp(service())
    const former = await sidOf(app, await newCodeForm(user, app))
    const logOut = () => deleteClientSessions(database, { clientId: app.id, userId: user.id })
    const next = await afterTransactions(service(), 0, logOut, () => newCodeForm(user, app))
    assert.notEqual(await sidOf(app, next), former)
  })

  test('A sign-in that waits for the end of its session at the app has a new sid', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const former = await sidOf(app, await newCodeForm(user, app))
    const logOut: ConcurrentStep = {
      begin: (transaction) => deleteClientSessions(transaction, { clientId: app.id, userId: user.id }),
    }
    const next = await concurrently(service(), logOut, () => newCodeForm(user, app))
    assert.notEqual(await sidOf(app, next), former)
  })

  test('A refresh that waits for a sign-out is refused, without a deadlock', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const { refresh_token = '', claims } = await signInTo(user, app)
    const sid = String(claims()?.sid)
    const signOut: ConcurrentStep = {
      begin: (transaction) =>
        transaction.selectFrom('clientSessions').selectAll().where('sid', '=', sid).forUpdate().execute(),
      finish: (transaction) => transaction.deleteFrom('clientSessions').where('sid', '=', sid).execute(),
    }
    const askAgain = () => refreshTokenGrant(app.config, refresh_token).catch(({ cause }) => cause?.error)
    assert.equal(await concurrently(service(), signOut, askAgain), 'invalid_grant')
  })

  test('A repeated refresh that waits for the end of its grant is refused, without a deadlock', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const { refresh_token = '' } = await signInTo(user, app)
    assert.equal((await refresh(service(), app, refresh_token)).status, 200)
    service().advance(2_001)
    // The deletion of a grant locks its tokens in any order, such as the last one first.
    const grantEnding: ConcurrentStep = {
      async begin(transaction) {
        await transaction.selectFrom('oauthGrants').select('id').where('userId', '=', user.id).forUpdate().execute()
        const tokens = transaction.selectFrom('oauthArtifacts').select('idHash').where('clientId', '=', app.id)
        await tokens.where('predecessorHash', 'is not', null).forUpdate().execute()
      },
      finish: (transaction) => transaction.deleteFrom('oauthGrants').where('userId', '=', user.id).execute(),
    }
    const answer = await concurrently(service(), grantEnding, () => refresh(service(), app, refresh_token))
    assert.deepEqual(refusalOf(answer), [400, 'invalid_grant'])
  })

  test('A refresh that waits for the deletion of its client is refused, without a deadlock', async () => {
    const user = await newMember(service())
    const app = await createTestApp(service())
    const { refresh_token = '' } = await signInTo(user, app)
    const askAgain = () => refreshTokenGrant(app.config, refresh_token).catch(({ cause }) => cause?.error)
    assert.equal(await concurrently(service(), clientDeletion(app.id), askAgain), 'invalid_grant')
  })

  test('A device whose client is deleted while it asks for a code gets invalid_client', async () => {
    const app = await createTestApp(service())
    const ask = () => postForm(service(), '/api/auth/device/code', { scope: 'openid' }, basic(app))
    assert.deepEqual(refusalOf(await concurrently(service(), clientDeletion(app.id), ask)), [400, 'invalid_client'])
  })

  test('A client that is disabled during a request gets no code, token or consent, and no session', async () => {
    const { database } = service().context
    const setDisabled = (id: string, disabled: number) =>
      database.updateTable('oauthClients').set({ disabled }).where('id', '=', id).execute()
    const whileDisabled = async ({ id }: TestApp, request: () => Promise<Answer>) => {
      const answer = await afterTransactions(service(), 0, () => setDisabled(id, 1), request)
      await setDisabled(id, 0)
      return answer
    }
    const user = await newMember(service())
    const app = await createTestApp(service())
    const { path } = await authorizationRequest(app)
    const authorized = await whileDisabled(app, () => user.client.get(path))
    assert.equal(locationOf(authorized).searchParams.get('error'), 'access_denied')
    const organization = user.organization.slug
    const exchanged = await whileDisabled(app, () => exchange(service(), app, user.token, { organization }))
    assert.deepEqual(refusalOf(exchanged), [400, 'invalid_request'])
    const askForDevice = () => postForm(service(), '/api/auth/device/code', { scope: 'openid' }, basic(app))
    assert.deepEqual(refusalOf(await whileDisabled(app, askForDevice)), [400, 'invalid_client'])
    const { user_code: userCode } = (await askForDevice()).body
    const approve = () => user.client.post('/api/auth/device/approve', { userCode })
    const { status, body } = await whileDisabled(app, approve)
    assert.deepEqual([status, body.code], [404, 'OAUTH_CLIENT_NOT_FOUND'])
    const other = await createTestApp(service(), {}, { skipConsent: 0 })
    const interaction = locationOf(await user.client.get((await authorizationRequest(other)).path)).searchParams
    const consent = { accept: true, oauth_query: `interaction=${interaction.get('interaction')}` }
    const allowed = await whileDisabled(other, () => user.client.post('/api/auth/oauth2/consent', consent))
    assert.deepEqual([allowed.status, allowed.body.code], [404, 'OAUTH_CLIENT_NOT_FOUND'])
    for (const table of ['clientSessions', 'oauthGrants', 'oauthConsents'] as const)
      assert.deepEqual(await database.selectFrom(table).selectAll().where('userId', '=', user.id).execute(), [], table)
    const { refresh_token = '' } = await signInTo(user, app)
    const refreshed = await whileDisabled(app, () => refresh(service(), app, refresh_token))
    assert.deepEqual(refusalOf(refreshed), [400, 'invalid_grant'])
  })

  test('An app whose access the user ends during the authorization gets no code', async () => {
    const { context } = service()
    const user = await newMember(service())
    const app = await createTestApp(service(), {}, { skipConsent: 0 })
    const key = { userId: user.id, clientId: app.id }
    await inTransaction(context, OPERATOR, (unit) =>
      saveConsent(unit, { ...key, scopes: ['openid'], organizationId: null }),
    )
    const { path } = await authorizationRequest(app, { scope: 'openid' })
    assert.ok(locationOf(await user.client.get(path)).searchParams.has('code'))
    const ending: ConcurrentStep = {
      begin: (transaction) => lockSessionsOfUserForUpdate(transaction, user.id),
      finish: (transaction) => deleteConsent(transaction, user.id, key),
    }
    const again = await authorizationRequest(app, { scope: 'openid' })
    const answer = await concurrently(service(), ending, () => user.client.get(again.path))
    assert.equal(locationOf(answer).searchParams.get('error'), 'access_denied')
  })

  test('A stolen copy of a session gets no code, and no exchanged token, when a step-up replaces the token concurrently', async () => {
    const { database } = service().context
    const user = await newMember(service())
    const app = await createTestApp(service())
    const { path } = await authorizationRequest(app)
    const setTokenHash = (tokenHash: string) =>
      database.updateTable('sessions').set({ tokenHash }).where('userId', '=', user.id).execute()
    const whileReplaced = async (request: () => Promise<Answer>) => {
      const answer = await afterTransactions(service(), 0, () => setTokenHash(`replaced ${user.id}`), request)
      await setTokenHash(hashToken(user.token))
      return answer
    }
    const exchangeOf = (token: string, more = {}) => exchange(service(), app, token, more)
    const organization = user.organization.slug
    const { token: jwt } = (await user.client.get(`/api/token?org=${organization}`)).body
    const authorized = await whileReplaced(() => user.client.get(path))
    const refusal = locationOf(authorized).searchParams
    assert.equal(refusal.get('error'), 'access_denied')
    assert.match(refusal.get('error_description') ?? '', /the session got a new token/)
    const exchanged = await whileReplaced(() => exchangeOf(user.token, { organization }))
    assert.deepEqual(refusalOf(exchanged), [400, 'invalid_request'])
    const grants = database.selectFrom('oauthGrants').selectAll().where('userId', '=', user.id)
    assert.deepEqual(await grants.execute(), [])
    assert.equal((await whileReplaced(() => exchangeOf(jwt))).status, 200, 'a JWT is no copy of the session')
  })

  test('A step-up between two queries of a request ends no token of the session', async (t) => {
    const { database } = service().context
    const user = await newMember(service())
    const app = await createTestApp(service())
    const { access_token, refresh_token = '' } = await signInTo(user, app)
    const { token: jwt } = (await user.client.get(`/api/token?org=${user.organization.slug}`)).body
    const stepUp = () => {
      const tokenHash = hashToken(newToken(service().context))
      return database.updateTable('sessions').set({ tokenHash }).where('userId', '=', user.id).execute()
    }
    const requests: Record<string, () => Promise<Answer>> = {
      introspection: () => introspect(service(), app, access_token),
      userinfo: () => askUserinfo(service(), access_token),
      refresh: () => refresh(service(), app, refresh_token),
      exchange: () => exchange(service(), app, access_token),
      'exchange of a token of /api/token': () => exchange(service(), app, jwt),
    }
    const matching = /from "oauthGrants"|"createdAt" >=/
    for (const [name, request] of Object.entries(requests)) {
      const { status, body } = await afterStatement(t, service(), { matching, step: stepUp }, request)
      assert.deepEqual([status, body.active ?? true], [200, true], name)
    }
  })

  test('A user who is removed from the organization during the authorization gets no grant for it', async () => {
    const { context } = service()
    const user = await newMember(service())
    const app = await createTestApp(service())
    const { path } = await authorizationRequest(app, { scope: 'openid organization' })
    const removal: ConcurrentStep = {
      begin: (transaction) => lockOrganizationForUpdate(transaction, user.organization.id),
      finish: (transaction) => transaction.deleteFrom('members').where('userId', '=', user.id).execute(),
    }
    const answer = await concurrently(service(), removal, () => user.client.get(path))
    assert.equal(locationOf(answer).searchParams.get('error'), 'access_denied')
    const grants = context.database.selectFrom('oauthGrants').selectAll().where('userId', '=', user.id)
    assert.deepEqual(await grants.execute(), [])
  })
})
