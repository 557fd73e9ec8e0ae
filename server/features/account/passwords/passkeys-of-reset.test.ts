import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertTestConsent } from '../../../../test/support/oauth-clients.ts'
import { addPasskey, tryToSignIn, userWithPasskey } from '../../../../test/support/passkeys.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import {
  administratorWithOrganization,
  newMember,
  PASSWORD,
  signedIn,
  type TestUser,
  tokenIn,
} from '../../../../test/support/users.ts'
import { createAdmin } from '../setup/create-admin.ts'

const LIST = '/api/reset-password/passkeys'
const RESET = '/api/auth/reset-password'
const NEW_PASSWORD = 'another fine long password'
const DAY = 86_400_000
const APPS_REMAIN = /The apps that you have allowed to see your data stay allowed\./

onEachDatabase('Passkeys of a password reset', (service) => {
  const post = (path: string, body: object) => service().client().post(path, body)
  const askForReset = async (email: string) => {
    assert.equal((await post('/api/auth/request-password-reset', { email })).status, 200)
    return tokenIn(service(), email)
  }
  /** A user with a passkey that is a month old, and one that was added today. */
  const victim = async () => {
    const own = await userWithPasskey(service())
    service().advance(31 * DAY)
    const planted = await addPasskey(service(), await signedIn(service(), own.email))
    return { own, planted, email: own.email }
  }
  /** The newest email, which must be about the new password. Skips those about sign-ins on new devices. */
  const newestEmail = async (email: string) => {
    const others = (await service().emails(email)).filter(({ subject }) => !subject.startsWith('New sign-in'))
    assert.match(others[0]?.subject ?? '', /^Your password was (changed|set by an administrator)$/)
    return others[0]?.text.replaceAll(/\s+/g, ' ') ?? ''
  }
  const security = () => `${service().baseUrl}/account/security`

  test('reset-password/passkeys lists a new passkey and leaves the token usable', async () => {
    const { own, planted, email } = await victim()
    const token = await askForReset(email)
    for (let look = 0; look < 2; look += 1) {
      const { status, body } = await post(LIST, { token })
      assert.equal(status, 200)
      assert.deepEqual(
        body.map(({ id, isNew }: { id: string; isNew: boolean }) => [id, isNew]),
        [
          [own.passkeyId, false],
          [planted.passkeyId, true],
        ],
      )
      assert.deepEqual(Object.keys(body[0]).sort(), ['createdAt', 'id', 'isNew', 'name'])
    }
    assert.equal((await post(RESET, { token, newPassword: NEW_PASSWORD })).status, 200)
    assert.deepEqual((await post(LIST, { token })).body.code, 'INVALID_TOKEN')
  })

  test('reset-password/passkeys refuses a used token, and one of another purpose', async () => {
    const { email, client } = await userWithPasskey(service())
    await client.post('/api/auth/delete-user')
    const deletion = await tokenIn(service(), email)
    for (const token of [deletion, 'x', 'A'.repeat(43)]) {
      const { status, body } = await post(LIST, { token })
      assert.deepEqual([status, body.code], [400, 'INVALID_TOKEN'])
    }
    const late = await askForReset(email)
    service().advance(3_600_000)
    assert.equal((await post(LIST, { token: late })).body.code, 'INVALID_TOKEN')
  })

  test('reset-password deletes a named passkey with an audit event, and the email lists the remaining passkeys', async () => {
    const { own, planted, email } = await victim()
    const token = await askForReset(email)
    const input = { token, newPassword: NEW_PASSWORD, removePasskeys: [planted.passkeyId] }
    assert.equal((await post(RESET, input)).status, 200)
    const refused = await tryToSignIn(service().client(), planted.authenticator)
    assert.equal(refused.body.code, 'UNKNOWN_PASSKEY')
    assert.equal((await tryToSignIn(service().client(), own.authenticator)).status, 200)
    assert.match(await newestEmail(email), /This passkey still opens your account: “[^”]+”, added on \d+ \w+ \d{4}\./)
    const events = await service()
      .context.database.selectFrom('auditEvents')
      .select('details')
      .where('action', '=', 'passkey.deleted')
      .where('subjectId', '=', own.id)
      .execute()
    assert.deepEqual(
      events.map(({ details }) => JSON.parse(details).passkeyId),
      [planted.passkeyId],
    )
  })

  test('reset-password leaves other passkeys, and every email about a new password lists them', async () => {
    const { own, planted, email } = await victim()
    assert.equal((await post(RESET, { token: await askForReset(email), newPassword: NEW_PASSWORD })).status, 200)
    assert.equal((await tryToSignIn(service().client(), planted.authenticator)).status, 200)
    const remain =
      /These passkeys still open your account: [^.]+; [^.]+\. Remove each passkey that you do not know: untick it when you set a new password at \S+\/forgot-password\./
    assert.match(await newestEmail(email), remain)
    assert.ok((await newestEmail(email)).includes(security()))

    const { client } = await signedIn(service(), email, NEW_PASSWORD)
    const change = { currentPassword: NEW_PASSWORD, newPassword: PASSWORD }
    assert.equal((await client.post('/api/auth/change-password', change)).status, 200)
    assert.match(await newestEmail(email), remain)
    assert.ok((await newestEmail(email)).includes(security()))

    const { client: admin } = await administratorWithOrganization(service())
    const set = { userId: own.id, newPassword: NEW_PASSWORD }
    assert.equal((await admin.post('/api/auth/admin/set-user-password', set)).status, 200)
    assert.match(await newestEmail(email), remain)
    assert.ok((await newestEmail(email)).includes(security()))
  })

  test('reset-password ignores the id of a passkey of another user and of a deleted one', async () => {
    const [one, other] = [await userWithPasskey(service()), await userWithPasskey(service())]
    const token = await askForReset(one.email)
    const removePasskeys = [other.passkeyId, 'psk_gone', one.passkeyId]
    assert.equal((await post(RESET, { token, newPassword: NEW_PASSWORD, removePasskeys })).status, 200)
    assert.equal((await tryToSignIn(service().client(), other.authenticator)).status, 200)
    assert.equal((await tryToSignIn(service().client(), one.authenticator)).body.code, 'UNKNOWN_PASSKEY')
    assert.doesNotMatch(await newestEmail(one.email), /still open/)
  })

  test('reset-password with keepPasskeys also deletes a passkey that was added since the list was read', async () => {
    const { own, planted, email } = await victim()
    const token = await askForReset(email)
    const seen = (await post(LIST, { token })).body.map(({ id }: { id: string }) => id)
    const later = await addPasskey(service(), await signedIn(service(), email))
    const keepPasskeys = [own.passkeyId, 'psk_gone']
    assert.equal((await post(RESET, { token, newPassword: NEW_PASSWORD, keepPasskeys })).status, 200)
    assert.deepEqual(seen, [own.passkeyId, planted.passkeyId])
    for (const { authenticator } of [planted, later])
      assert.equal((await tryToSignIn(service().client(), authenticator)).body.code, 'UNKNOWN_PASSKEY')
    assert.equal((await tryToSignIn(service().client(), own.authenticator)).status, 200)
    assert.match(await newestEmail(email), /This passkey still opens your account/)
  })

  test('reset-password removes a passkey that both fields name, and every passkey with an empty list', async () => {
    const { own, planted, email } = await victim()
    const choices = { keepPasskeys: [own.passkeyId, planted.passkeyId], removePasskeys: [planted.passkeyId] }
    const reset = async (fields: object) => {
      const body = { token: await askForReset(email), newPassword: NEW_PASSWORD, ...fields }
      assert.equal((await post(RESET, body)).status, 200)
    }
    await reset(choices)
    assert.equal((await tryToSignIn(service().client(), planted.authenticator)).body.code, 'UNKNOWN_PASSKEY')
    assert.equal((await tryToSignIn(service().client(), own.authenticator)).status, 200)
    await reset({ keepPasskeys: [] })
    assert.equal((await tryToSignIn(service().client(), own.authenticator)).body.code, 'UNKNOWN_PASSKEY')
  })

  test('A refused reset deletes no passkey', async () => {
    const { email, passkeyId, authenticator } = await userWithPasskey(service())
    const token = await askForReset(email)
    const removePasskeys = [passkeyId]
    assert.equal((await post(RESET, { token, newPassword: 'short', removePasskeys })).status, 400)
    assert.equal((await post(RESET, { token, newPassword: NEW_PASSWORD })).status, 200)
    assert.equal((await post(RESET, { token, newPassword: NEW_PASSWORD, removePasskeys })).status, 400)
    assert.equal((await tryToSignIn(service().client(), authenticator)).status, 200)
  })

  test('reset-password/passkeys lists no passkey of an unverified user, whose reset deletes all', async () => {
    const { email, id, authenticator } = await userWithPasskey(service())
    const { database } = service().context
    await database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', id).execute()
    const token = await askForReset(email)
    assert.deepEqual((await post(LIST, { token })).body, [])
    assert.equal((await post(RESET, { token, newPassword: NEW_PASSWORD })).status, 200)
    assert.equal((await tryToSignIn(service().client(), authenticator)).body.code, 'UNKNOWN_PASSKEY')
    assert.doesNotMatch(await newestEmail(email), /still open/)
  })

  test('The emails of a user without passkeys do not mention passkeys', async () => {
    const { email } = await newMember(service())
    assert.deepEqual((await post(LIST, { token: await askForReset(email) })).body, [])
    const token = await askForReset(email)
    assert.equal((await post(RESET, { token, newPassword: NEW_PASSWORD, removePasskeys: [] })).status, 200)
    assert.doesNotMatch(await newestEmail(email), /passkey| apps? /i)
  })

  test('The email of a reset mentions the apps that the user has allowed, unless the reset deletes the consents', async () => {
    const { id, email } = await newMember(service())
    await insertTestConsent(service(), id)
    const reset = async () => {
      assert.equal((await post(RESET, { token: await askForReset(email), newPassword: NEW_PASSWORD })).status, 200)
      return newestEmail(email)
    }
    const text = await reset()
    assert.match(text, APPS_REMAIN)
    assert.ok(text.includes(`${security()}#apps`))
    await service().context.database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', id).execute()
    assert.doesNotMatch(await reset(), / apps? /i)
  })

  test('The emails of change-password, set-user-password and admin create mention the apps that the user has allowed', async () => {
    const staff = await administratorWithOrganization(service())
    const changes: ((user: TestUser) => Promise<unknown>)[] = [
      ({ client }) =>
        client.post('/api/auth/change-password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
      ({ id: userId }) => staff.client.post('/api/auth/admin/set-user-password', { userId, newPassword: NEW_PASSWORD }),
      ({ email }) => createAdmin(service().context, { email, name: 'Nia New', password: NEW_PASSWORD }),
    ]
    for (const change of changes) {
      const [withApp, withoutApp] = [await newMember(service()), await newMember(service())]
      await insertTestConsent(service(), withApp.id)
      await change(withApp)
      await change(withoutApp)
      const text = await newestEmail(withApp.email)
      assert.match(text, APPS_REMAIN)
      assert.ok(text.includes(security()))
      assert.doesNotMatch(await newestEmail(withoutApp.email), / apps? /i)
    }
  })
})
