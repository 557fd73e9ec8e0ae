import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSessionOf, insertTestClientSession, insertTestSession } from '../../../../test/support/client-sessions.ts'
import { insertTestClient } from '../../../../test/support/oauth-clients.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import {
  administrator,
  administratorWithOrganization,
  member,
  PASSWORD,
  type TestMember,
  tokenIn,
} from '../../../../test/support/users.ts'
import { maintain } from '../../../maintenance.ts'
import { newId } from '../../../platform/crypto/tokens.ts'

const AUTH = '/api/auth'
const NEW_PASSWORD = 'another fine long password'
const SESSIONS_PER_USER = 50

onEachDatabase(
  'back-channel log-outs',
  (service, engine) => {
    const database = () => service().context.database

    /** A member with two sessions, each of them at a client that wants log-outs, and at one that doesn't. */
    async function openScene() {
      const founder = await administratorWithOrganization(service())
      const user = await member(service(), founder)
      const own = await findSessionOf(service(), user)
      const other = await insertTestSession(service(), user)
      const client = await insertTestClient(service(), { backchannel_logout_uri: 'https://app.example.com/log-out' })
      const times = { createdAt: own.createdAt, updatedAt: own.createdAt }
      const consent = { id: newId('con', service().context), userId: user.id, clientId: client.id, scopes: 'openid' }
      await database()
        .insertInto('oauthConsents')
        .values({ ...consent, organizationIds: '', ...times })
        .execute()
      const silent = await insertTestClient(service())
      const signInAt = async (sessionId: string, organizationId?: string) => {
        await insertTestClientSession(service(), silent, { sessionId, userId: user.id }, organizationId)
        return insertTestClientSession(service(), client, { sessionId, userId: user.id }, organizationId)
      }
      const sids = { own: await signInAt(own.id), other: await signInAt(other.id) }
      return { founder, user, own, other, client, consent, signInAt, sids }
    }
    type Scene = Awaited<ReturnType<typeof openScene>>

    const logOutsOf = async ({ user, client }: Scene) => {
      const rows = await database().selectFrom('oauthLogouts').selectAll().where('userId', '=', user.id).execute()
      for (const { clientId, attempts, settledAt } of rows)
        assert.deepEqual([clientId, attempts, settledAt], [client.id, 0, null])
      return rows.map(({ sid }) => sid).sort()
    }

    const staff =
      (path: string, body: (scene: Scene) => object = ({ user }) => ({ userId: user.id })) =>
      async (scene: Scene) =>
        (await administrator(service())).client.post(`${AUTH}/admin/${path}`, body(scene))
    const own =
      (path: string, body: (scene: Scene) => object = () => ({})) =>
      (scene: Scene) =>
        scene.user.client.post(`${AUTH}/${path}`, body(scene))

    const endings: [name: string, ended: ('own' | 'other')[], end: (scene: Scene) => Promise<{ status: number }>][] = [
      ['sign-out', ['own'], own('sign-out')],
      ['revoke-session', ['other'], own('revoke-session', ({ other }) => ({ token: other.token }))],
      ['revoke-other-sessions', ['other'], own('revoke-other-sessions')],
      ['revoke-sessions', ['own', 'other'], own('revoke-sessions')],
      [
        'change-password',
        ['own', 'other'],
        own('change-password', () => ({ currentPassword: PASSWORD, newPassword: NEW_PASSWORD })),
      ],
      ['delete-user', ['own', 'other'], own('delete-user', () => ({ password: PASSWORD }))],
      ['ban-user', ['own', 'other'], staff('ban-user')],
      ['remove-user', ['own', 'other'], staff('remove-user')],
      ['revoke-user-sessions', ['own', 'other'], staff('revoke-user-sessions')],
      ['revoke-user-session', ['other'], staff('revoke-user-session', ({ other }) => ({ sessionToken: other.token }))],
      [
        'set-user-password',
        ['own', 'other'],
        staff('set-user-password', ({ user }) => ({ userId: user.id, newPassword: NEW_PASSWORD })),
      ],
      [
        'reset-password',
        ['own', 'other'],
        async ({ user }) => {
          await user.client.post(`${AUTH}/request-password-reset`, { email: user.email })
          const token = await tokenIn(service(), user.email)
          return service().client().post(`${AUTH}/reset-password`, { token, newPassword: NEW_PASSWORD })
        },
      ],
      ['delete-consent', ['own', 'other'], own('oauth2/delete-consent', ({ consent }) => ({ id: consent.id }))],
      ['revoke-app', ['own', 'other'], own('oauth2/revoke-app', ({ client }) => ({ clientId: client.id }))],
      ['a change of the name', [], own('update-user', () => ({ name: 'Another Name' }))],
      ['verify-password', [], own('verify-password', () => ({ password: PASSWORD }))],
    ]
    for (const [name, ended, end] of endings) {
      test(`${name} enqueues one log-out for each session at a client that it ends`, async () => {
        const scene = await openScene()
        const answer = await end(scene)
        assert.equal(answer.status, 200, JSON.stringify(answer))
        assert.deepEqual(await logOutsOf(scene), ended.map((which) => scene.sids[which]).sort())
      })
    }

    test('A sign-in beyond the maximum of sessions enqueues the log-out of the oldest one', async () => {
      const scene = await openScene()
      const oldest = { createdAt: scene.own.createdAt - 1000 }
      await database().updateTable('sessions').set(oldest).where('id', '=', scene.other.id).execute()
      for (let count = 2; count < SESSIONS_PER_USER; count += 1) await insertTestSession(service(), scene.user)
      const { email } = scene.user
      const { status } = await service().client().post(`${AUTH}/sign-in/email`, { email, password: PASSWORD })
      assert.equal(status, 200)
      assert.deepEqual(await logOutsOf(scene), [scene.sids.other])
    })

    test('The purge of expired sessions enqueues their log-outs', async () => {
      const scene = await openScene()
      const expired = { expiresAt: service().context.now() }
      await database().updateTable('sessions').set(expired).where('id', '=', scene.other.id).execute()
      await maintain(service().context)
      assert.deepEqual(await logOutsOf(scene), [scene.sids.other])
    })

    const departures: [
      string,
      (scene: Scene, organization: TestMember['organization']) => Promise<{ status: number }>,
    ][] = [
      [
        'remove-member',
        ({ founder, user }, { id }) =>
          founder.client.post(`${AUTH}/organization/remove-member`, {
            memberIdOrEmail: user.email,
            organizationId: id,
          }),
      ],
      ['leave', ({ user }, { id }) => user.client.post(`${AUTH}/organization/leave`, { organizationId: id })],
      [
        'delete-organization',
        ({ founder }, { id }) => founder.client.post(`${AUTH}/organization/delete`, { organizationId: id }),
      ],
    ]
    for (const [name, depart] of departures) {
      test(`${name} enqueues the log-outs of sessions at clients that were given that organization`, async () => {
        const scene = await openScene()
        const { organization } = scene.founder
        const given = await scene.signInAt(scene.own.id, organization.id)
        await scene.signInAt(scene.own.id, 'org_another')
        assert.equal((await depart(scene, organization)).status, 200)
        assert.deepEqual(await logOutsOf(scene), [given])
        const left = database().selectFrom('clientSessions').select('sid').where('userId', '=', scene.user.id)
        assert.equal((await left.execute()).length, 6)
      })
    }

    test('A client that is deleted gets no log-out', async () => {
      const scene = await openScene()
      await database().deleteFrom('oauthClients').where('id', '=', scene.client.id).execute()
      assert.deepEqual(await logOutsOf(scene), [])
    })

    // SQLite has one writer.
    if (engine === 'postgres') {
      test('sign-out does not wait for a transaction that locks the client', async () => {
        const scene = await openScene()
        const { status } = await database()
          .transaction()
          .execute(async (transaction) => {
            const client = transaction.selectFrom('oauthClients').selectAll().where('id', '=', scene.client.id)
            await client.forUpdate().execute()
            return scene.user.client.post(`${AUTH}/sign-out`)
          })
        assert.equal(status, 200)
        assert.deepEqual(await logOutsOf(scene), [scene.sids.own])
      })
    }

    test('A transaction that is rolled back enqueues no log-out', async () => {
      const scene = await openScene()
      const rolledBack = database()
        .transaction()
        .execute(async (transaction) => {
          await transaction.deleteFrom('sessions').where('id', '=', scene.own.id).execute()
          throw new Error('rolled back')
        })
      await assert.rejects(rolledBack, /rolled back/)
      assert.deepEqual(await logOutsOf(scene), [])
    })
  },
  { SESSIONS_PER_USER: String(SESSIONS_PER_USER) },
)
