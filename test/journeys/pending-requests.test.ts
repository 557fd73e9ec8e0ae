import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findUsableToken } from '../../server/core/single-use-tokens/single-use-tokens.ts'
import { addPasskey, registerOptions } from '../support/passkeys.ts'
import { bearerClient, secondProcess } from '../support/second-process.ts'
import { onEachDatabase, type Service } from '../support/service.ts'
import { createTestUser, userWithRole } from '../support/staff.ts'
import { administrator, newEmail, PASSWORD, signedIn, type TestUser, tokenIn } from '../support/users.ts'

const NEW_PASSWORD = 'another fine long password'
const ROUNDS = 10

interface Scene {
  service: Service
  admin: TestUser
  /** The session that asked. */
  asker: TestUser
  /** Another session of the same user. */
  other: TestUser
}

const auth = (path: string) => `/api/auth/${path}`
const byStaff = (path: string, body: Record<string, unknown>) => async (scene: Scene) => {
  const { status } = await scene.admin.client.post(auth(`admin/${path}`), { userId: scene.asker.id, ...body })
  assert.equal(status, 200, path)
}
const byAsker = (path: string, body: Record<string, unknown>) => async (scene: Scene) => {
  assert.equal((await scene.asker.client.post(auth(path), body)).status, 200, path)
}
const byOther = (path: string, body: Record<string, unknown>) => async (scene: Scene) => {
  assert.equal((await scene.other.client.post(auth(path), body)).status, 200, path)
}
const passwords = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }

/** Every way in which a session ends. */
const ENDS: Record<string, (scene: Scene) => Promise<unknown>> = {
  'it signs out': byAsker('sign-out', {}),
  'it is revoked by another session': (scene) =>
    scene.other.client.post(auth('revoke-session'), { token: scene.asker.token }),
  'it revokes all sessions': byAsker('revoke-sessions', {}),
  'another session revokes all sessions': byOther('revoke-sessions', {}),
  'another session revokes all others': byOther('revoke-other-sessions', {}),
  'it changes the password': byAsker('change-password', passwords),
  'another session changes the password': byOther('change-password', passwords),
  async 'the password is reset'({ service, asker }) {
    await service.client().post(auth('request-password-reset'), { email: asker.email })
    const token = await tokenIn(service, asker.email)
    const answer = await service.client().post(auth('reset-password'), { newPassword: NEW_PASSWORD, token })
    assert.equal(answer.status, 200)
  },
  'staff set the password': byStaff('set-user-password', { newPassword: NEW_PASSWORD }),
  'staff set the address': (scene) => byStaff('update-user', { data: { email: newEmail() } })(scene),
  'staff revoke it': (scene) =>
    scene.admin.client.post(auth('admin/revoke-user-session'), { sessionToken: scene.asker.token }),
  'staff revoke all sessions': byStaff('revoke-user-sessions', {}),
  'the user is banned': byStaff('ban-user', {}),
  async 'the user is banned and unbanned'(scene) {
    await byStaff('ban-user', {})(scene)
    await byStaff('unban-user', {})(scene)
  },
  'the user is removed': byStaff('remove-user', {}),
  'the browser signs in again': ({ asker }) =>
    asker.client.post(auth('sign-in/email'), { email: asker.email, password: PASSWORD }),
  async 'another session removes a passkey'({ service, other }) {
    const { passkeyId } = await addPasskey(service, other)
    assert.equal((await other.client.post(auth('passkey/delete-passkey'), { id: passkeyId })).status, 200)
  },
  async 'another session changes the address'({ service, other }) {
    const address = newEmail()
    await other.client.post(auth('change-email'), { newEmail: address })
    const answer = await service.client().get(auth(`verify-email?token=${await tokenIn(service, address)}`))
    assert.equal(answer.status, 200)
  },
  async 'the mailbox is verified for the first time'({ service, asker }) {
    const { database } = service.context
    await database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', asker.id).execute()
    await service.client().post(auth('send-verification-email'), { email: asker.email })
    const answer = await service.client().get(auth(`verify-email?token=${await tokenIn(service, asker.email)}`))
    assert.equal(answer.status, 200)
  },
  async 'its time is over'({ service, asker }) {
    const expired = { expiresAt: service.context.now() }
    const { database } = service.context
    await database.updateTable('sessions').set(expired).where('userId', '=', asker.id).execute()
  },
}

onEachDatabase('What a session asked for', (service) => {
  const getSecond = secondProcess(service)

  async function newScene(): Promise<Scene> {
    const admin = await administrator(service())
    const asker = await userWithRole(service(), admin)
    return { service: service(), admin, asker, other: await signedIn(service(), asker.email) }
  }
  async function askForDeletion({ asker }: Scene): Promise<string> {
    assert.equal((await asker.client.post(auth('delete-user'))).body.message, 'Verification email sent')
    return tokenIn(service(), asker.email)
  }
  async function askForAddress({ asker }: Scene, address = newEmail()): Promise<string> {
    assert.equal((await asker.client.post(auth('change-email'), { newEmail: address })).status, 200)
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
  const userOf = ({ asker }: Scene) =>
    service().context.database.selectFrom('users').selectAll().where('id', '=', asker.id).executeTakeFirst()
  const isOpenChallenge = async (ceremony: 'register passkey' | 'sign in with passkey', challenge: string) =>
    (await findUsableToken(service().context.database, service().context.now(), ceremony, challenge)) !== undefined

  for (const [name, end] of Object.entries(ENDS)) {
    test(`is revoked with the session when ${name}`, async () => {
      const scene = await newScene()
      const deletion = await askForDeletion(scene)
      const wanted = newEmail()
      const change = await askForAddress(scene, wanted)
      const { challenge } = await registerOptions(scene.asker.client)
      const { body } = await scene.asker.client.get(auth('passkey/generate-authenticate-options'))
      assert.equal(await isOpenChallenge('register passkey', challenge), true)
      assert.equal(await isOpenChallenge('sign in with passkey', body.challenge), true)

      await end(scene)
      assert.equal((await bearerClient(service(), scene.asker).get(auth('get-session'))).body, null)
      const before = await userOf(scene)
      for (const answer of [await followChange(change), await followDeletion(deletion)])
        assert.deepEqual([answer.status, answer.body.code], [400, 'INVALID_TOKEN'])
      assert.deepEqual(await userOf(scene), before)
      assert.notEqual(before?.email, wanted)
      assert.equal(await isOpenChallenge('register passkey', challenge), false)
      assert.equal(await isOpenChallenge('sign in with passkey', body.challenge), false)
    })
  }

  test('stays open while the session goes on', async () => {
    const scene = await newScene()
    const wanted = newEmail()
    const change = await askForAddress(scene, wanted)
    await byAsker('revoke-other-sessions', {})(scene)
    assert.equal((await followChange(change)).body.user.email, wanted)
    const deleted = await newScene()
    const deletion = await askForDeletion(deleted)
    assert.equal((await followDeletion(deletion)).status, 200)
    assert.equal(await userOf(deleted), undefined)
  })

  test('is not asked for by a session that is revoked while it asks', async () => {
    const scene = await newScene()
    const address = newEmail()
    const requests = [
      bearerClient(service(), scene.asker).post(auth('change-email'), { newEmail: address }),
      bearerClient(service(), scene.asker).post(auth('delete-user')),
      bearerClient(service(), scene.asker).get(auth('passkey/generate-register-options')),
      bearerClient(service(), scene.other).post(auth('revoke-sessions')),
    ]
    for (const { status } of await Promise.all(requests)) assert.ok([200, 401].includes(status), String(status))
    const { database } = service().context
    const left = await database.selectFrom('singleUseTokens').selectAll().where('userId', '=', scene.asker.id).execute()
    assert.deepEqual(left, [])
  })

  test('is used, or revoked with the session, when both are requested at once in two processes', async () => {
    const second = await getSecond()
    for (let round = 0; round < ROUNDS; round += 1) {
      const scene = await newScene()
      const [change, deletion] = [await askForAddress(scene), await askForDeletion(scene)]
      const [used, ended] = await Promise.all([
        round % 2 ? followChange(change) : followDeletion(deletion),
        bearerClient(second, scene.other).post(auth('revoke-sessions')),
      ])
      assert.ok(used.status === 200 || used.body.code === 'INVALID_TOKEN', JSON.stringify(used.body))
      assert.ok([200, 401].includes(ended.status), JSON.stringify(ended.body))
      for (const late of [await followChange(change), await followDeletion(deletion)])
        assert.equal(late.body.code, 'INVALID_TOKEN')
    }
  })
})

onEachDatabase('A link that was mailed before a ban', (service) => {
  test('does nothing during the ban, and evades it neither by deleting nor by another address', async () => {
    const admin = await administrator(service())
    const email = newEmail()
    const id = await createTestUser(admin, { email })
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
