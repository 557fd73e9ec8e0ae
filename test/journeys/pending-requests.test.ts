import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATOR } from '../../server/core/audit/actor.ts'
import { createUnit } from '../../server/core/in-transaction.ts'
import { revokeSessionsOfUser } from '../../server/core/sessions/revoke-session.ts'
import { findUsableToken } from '../../server/core/single-use-tokens/single-use-tokens.ts'
import { lockUserForUpdate } from '../../server/core/users/lock-user.ts'
import { bearerClient } from '../support/bearer-client.ts'
import { type ConcurrentStep, concurrently } from '../support/concurrently.ts'
import { addPasskey, registerOptions } from '../support/passkeys.ts'
import { secondProcess } from '../support/second-process.ts'
import { onEachDatabase, type Service } from '../support/service.ts'
import { userWithRole } from '../support/staff.ts'
import { administrator, newEmail, newUser, PASSWORD, signedIn, type TestUser, tokenIn } from '../support/users.ts'

const NEW_PASSWORD = 'another fine long password'
const ROUNDS = 10

interface Scene {
  service: Service
  admin: TestUser
  /** The session that requests links and challenges. */
  user: TestUser
  /** Another session of the same user. */
  other: TestUser
}

const auth = (path: string) => `/api/auth/${path}`
const byStaff = (path: string, body: Record<string, unknown>) => async (scene: Scene) => {
  const { status } = await scene.admin.client.post(auth(`admin/${path}`), { userId: scene.user.id, ...body })
  assert.equal(status, 200, path)
}
const byUser = (path: string, body: Record<string, unknown>) => async (scene: Scene) => {
  assert.equal((await scene.user.client.post(auth(path), body)).status, 200, path)
}
const byOther = (path: string, body: Record<string, unknown>) => async (scene: Scene) => {
  assert.equal((await scene.other.client.post(auth(path), body)).status, 200, path)
}
const passwords = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }

/** Every cause that revokes a session. */
const CAUSES: Record<string, (scene: Scene) => Promise<unknown>> = {
  'it signs out': byUser('sign-out', {}),
  'it is revoked by another session': (scene) =>
    scene.other.client.post(auth('revoke-session'), { token: scene.user.token }),
  'it revokes all sessions': byUser('revoke-sessions', {}),
  'another session revokes all sessions': byOther('revoke-sessions', {}),
  'another session revokes all others': byOther('revoke-other-sessions', {}),
  'it changes the password': byUser('change-password', passwords),
  'another session changes the password': byOther('change-password', passwords),
  async 'the password is reset'({ service, user }) {
    await service.client().post(auth('request-password-reset'), { email: user.email })
    const token = await tokenIn(service, user.email)
    const answer = await service.client().post(auth('reset-password'), { newPassword: NEW_PASSWORD, token })
    assert.equal(answer.status, 200)
  },
  'staff set the password': byStaff('set-user-password', { newPassword: NEW_PASSWORD }),
  'staff set the email address': (scene) => byStaff('update-user', { data: { email: newEmail() } })(scene),
  'staff revoke it': (scene) =>
    scene.admin.client.post(auth('admin/revoke-user-session'), { sessionToken: scene.user.token }),
  'staff revoke all sessions': byStaff('revoke-user-sessions', {}),
  'the user is banned': byStaff('ban-user', {}),
  async 'the user is banned and unbanned'(scene) {
    await byStaff('ban-user', {})(scene)
    await byStaff('unban-user', {})(scene)
  },
  'the user is removed': byStaff('remove-user', {}),
  'the browser signs in again': ({ user }) =>
    user.client.post(auth('sign-in/email'), { email: user.email, password: PASSWORD }),
  async 'another session removes a passkey'({ service, other }) {
    const { passkeyId } = await addPasskey(service, other)
    assert.equal((await other.client.post(auth('passkey/delete-passkey'), { id: passkeyId })).status, 200)
  },
  async 'another session changes the email address'({ service, other }) {
    const address = newEmail()
    await other.client.post(auth('change-email'), { newEmail: address })
    const answer = await service.client().get(auth(`verify-email?token=${await tokenIn(service, address)}`))
    assert.equal(answer.status, 200)
  },
  async 'the email address is verified for the first time'({ service, user }) {
    const { database } = service.context
    await database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', user.id).execute()
    await service.client().post(auth('send-verification-email'), { email: user.email })
    const answer = await service.client().get(auth(`verify-email?token=${await tokenIn(service, user.email)}`))
    assert.equal(answer.status, 200)
  },
  async 'it expires'({ service, user }) {
    const expired = { expiresAt: service.context.now() }
    const { database } = service.context
    await database.updateTable('sessions').set(expired).where('userId', '=', user.id).execute()
  },
}

onEachDatabase('Pending links and challenges', (service) => {
  const getSecond = secondProcess(service)

  async function newScene(): Promise<Scene> {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    return { service: service(), admin, user, other: await signedIn(service(), user.email) }
  }
  async function requestDeletion({ user }: Scene): Promise<string> {
    assert.equal((await user.client.post(auth('delete-user'))).body.message, 'Verification email sent')
    return tokenIn(service(), user.email)
  }
  async function requestEmailChange({ user }: Scene, address = newEmail()): Promise<string> {
    assert.equal((await user.client.post(auth('change-email'), { newEmail: address })).status, 200)
    return tokenIn(service(), address)
  }
  const followChange = (token: string) =>
    service()
      .client()
      .get(auth(`verify-email?token=${token}`))
  const followDeletion = (token: string) =>
    service()
      .client()
      .get(auth(`delete-user/callback?token=${token}`))
  const userOf = ({ user }: Scene) =>
    service().context.database.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirst()
  const isOpenChallenge = async (ceremony: 'register passkey' | 'sign in with passkey', challenge: string) =>
    (await findUsableToken(service().context.database, service().context.now(), ceremony, challenge)) !== undefined

  for (const [cause, revoke] of Object.entries(CAUSES)) {
    test(`A session's links and challenges are revoked with the session when ${cause}`, async () => {
      const scene = await newScene()
      const deletion = await requestDeletion(scene)
      const wanted = newEmail()
      const change = await requestEmailChange(scene, wanted)
      const { challenge } = await registerOptions(scene.user.client)
      const { body } = await scene.user.client.get(auth('passkey/generate-authenticate-options'))
      assert.equal(await isOpenChallenge('register passkey', challenge), true)
      assert.equal(await isOpenChallenge('sign in with passkey', body.challenge), true)

      await revoke(scene)
      assert.equal((await bearerClient(service(), scene.user).get(auth('get-session'))).body, null)
      const before = await userOf(scene)
      for (const answer of [await followChange(change), await followDeletion(deletion)])
        assert.deepEqual([answer.status, answer.body.code], [400, 'INVALID_TOKEN'])
      assert.deepEqual(await userOf(scene), before)
      assert.notEqual(before?.email, wanted)
      assert.equal(await isOpenChallenge('register passkey', challenge), false)
      assert.equal(await isOpenChallenge('sign in with passkey', body.challenge), false)
    })
  }

  test("A session's links stay valid while the session is live", async () => {
    const scene = await newScene()
    const wanted = newEmail()
    const change = await requestEmailChange(scene, wanted)
    await byUser('revoke-other-sessions', {})(scene)
    assert.equal((await followChange(change)).body.user.email, wanted)
    const deleted = await newScene()
    const deletion = await requestDeletion(deleted)
    assert.equal((await followDeletion(deletion)).status, 200)
    assert.equal(await userOf(deleted), undefined)
  })

  test('A session that is revoked concurrently with its requests leaves no link or challenge', async () => {
    const { context } = service()
    const requests = [
      ({ client }: TestUser) => client.post(auth('change-email'), { newEmail: newEmail() }),
      ({ client }: TestUser) => client.post(auth('delete-user')),
      ({ client }: TestUser) => client.get(auth('passkey/generate-register-options')),
    ]
    for (const request of requests) {
      const { user } = await newScene()
      const revocation: ConcurrentStep = {
        begin: (transaction) => lockUserForUpdate(transaction, user.id),
        finish: (transaction) => revokeSessionsOfUser(createUnit(transaction, context, OPERATOR), user.id),
      }
      const { status, body } = await concurrently(service(), revocation, () => request(user))
      assert.deepEqual([status, body.code], [401, 'UNAUTHORIZED'])
      const tokens = context.database.selectFrom('singleUseTokens').selectAll().where('userId', '=', user.id)
      assert.deepEqual(await tokens.execute(), [])
    }
  })

  test('A link is either used or revoked with its session when both are requested concurrently in two processes', async () => {
    const second = await getSecond()
    for (let round = 0; round < ROUNDS; round += 1) {
      const scene = await newScene()
      const [change, deletion] = [await requestEmailChange(scene), await requestDeletion(scene)]
      const [used, revoked] = await Promise.all([
        round % 2 ? followChange(change) : followDeletion(deletion),
        bearerClient(second, scene.other).post(auth('revoke-sessions')),
      ])
      assert.ok(used.status === 200 || used.body.code === 'INVALID_TOKEN', JSON.stringify(used.body))
      assert.ok([200, 401].includes(revoked.status), JSON.stringify(revoked.body))
      for (const late of [await followChange(change), await followDeletion(deletion)])
        assert.equal(late.body.code, 'INVALID_TOKEN')
    }
  })
})

onEachDatabase('Links and bans', (service) => {
  test('A link that was sent before a ban does nothing during the ban, and works after it', async () => {
    const admin = await administrator(service())
    const email = newEmail()
    const id = await newUser(service(), { email })
    const { client } = await signedIn(service(), email)
    const former = email
    const current = newEmail()
    await client.post(auth('change-email'), { newEmail: current })
    await service()
      .client()
      .get(auth(`verify-email?token=${await tokenIn(service(), current)}`))
    const undo = await tokenIn(service(), former)
    await service().context.database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', id).execute()
    await service().client().post(auth('send-verification-email'), { email: current })
    const verify = await tokenIn(service(), current)
    await service().client().post(auth('request-password-reset'), { email: current })
    const reset = await tokenIn(service(), current)

    const rows = () => service().context.database.selectFrom('users').selectAll().where('id', '=', id).execute()
    const uses = {
      undo: () => service().client().post('/api/undo-change-email', { token: undo }),
      verify: () =>
        service()
          .client()
          .get(auth(`verify-email?token=${verify}`)),
      reset: () => service().client().post(auth('reset-password'), { newPassword: NEW_PASSWORD, token: reset }),
    }
    await admin.client.post(auth('admin/ban-user'), { userId: id, banExpiresIn: 600 })
    const banned = await rows()
    for (const [name, use] of Object.entries(uses)) assert.equal((await use()).body.code, 'INVALID_TOKEN', name)
    const forwarded = await service()
      .client()
      .get(auth(`reset-password/${reset}?callbackURL=/reset-password`))
    assert.match(forwarded.headers.get('location') ?? '', /error=INVALID_TOKEN/)
    assert.deepEqual(await rows(), banned)

    service().advance(600_000)
    assert.equal((await uses.undo()).status, 200)
    assert.equal((await rows())[0]?.email, former)
  })
})
