import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConcurrentStep, concurrently, userDeletion } from '../../../../test/support/concurrently.ts'
import { tryToSignIn, userWithPasskey } from '../../../../test/support/passkeys.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { userWithRole } from '../../../../test/support/staff.ts'
import { enableTotp } from '../../../../test/support/two-step.ts'
import { administrator, newEmail, newMember, PASSWORD, signedIn, tokenIn } from '../../../../test/support/users.ts'
import { createToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { findUser } from '../../../core/users/find-user.ts'
import { updateVerifiedEmail } from '../../../core/users/store.ts'
import { createAdmin } from './create-admin.ts'

const NEW_PASSWORD = 'quiet amber violin tortoise'

onEachDatabase('create-admin', (service) => {
  test('create-admin creates a new user when the existing user is deleted concurrently', async () => {
    await administrator(service())
    const { id, email } = await newMember(service())
    const admin = { email, name: 'Nia New', password: PASSWORD }
    const made = await concurrently(service(), userDeletion(service(), id), () => createAdmin(service().context, admin))
    assert.deepEqual(made, { email, existed: false, lostCredentials: false })
  })

  test('create-admin does not give the role to a user whose email address is changed concurrently', async () => {
    await administrator(service())
    const { id, email } = await newMember(service())
    const change: ConcurrentStep = {
      async begin(transaction) {
        await updateVerifiedEmail(transaction, id, newEmail(), service().context.now())
      },
    }
    const { context } = service()
    const made = await concurrently(service(), change, () =>
      createAdmin(context, { email, name: 'Nia New', password: PASSWORD }),
    )
    assert.deepEqual(made, { email, existed: false, lostCredentials: false })
    assert.equal((await findUser(context.database, id))?.role, 'user')
  })

  test('create-admin records the former role and the end of a ban, and revokes the links of former addresses', async () => {
    const { context } = service()
    const admin = await administrator(service())
    const { id, email } = await userWithRole(service(), admin, 'support')
    await admin.client.post('/api/auth/admin/ban-user', { userId: id })
    const token = await createToken(context.database, context, 'undo email change', {
      userId: id,
      data: { oldEmail: 'old@example.com' },
    })
    for (let call = 0; call < 2; call += 1) await createAdmin(context, { email, name: 'Nia New', password: PASSWORD })
    const events = await context.database
      .selectFrom('auditEvents')
      .select(['action', 'details'])
      .where('subjectId', '=', id)
      .where('action', 'in', ['user.role-set', 'user.unbanned'])
      .orderBy('action')
      .execute()
    assert.deepEqual(
      events.map(({ action, details }) => [action, JSON.parse(details)]),
      [
        ['user.role-set', { role: 'admin', before: 'support' }],
        ['user.unbanned', {}],
      ],
    )
    const undone = await service().client().post('/api/undo-change-email', { token })
    assert.deepEqual([undone.status, undone.body.code], [400, 'INVALID_TOKEN'])
  })

  test('create-admin with a password revokes the sessions and the reset links of an existing user, who gets an email', async () => {
    const { id, email, client } = await newMember(service())
    await client.post('/api/auth/request-password-reset', { email })
    const token = await tokenIn(service(), email)
    const { context } = service()
    await createAdmin(context, { email, name: 'Nia New', password: NEW_PASSWORD })
    const [notice] = await service().emails(email)
    assert.equal(notice?.subject, 'Your password was set by an administrator')
    const { events } = (
      await (await administrator(service())).client.get(`/api/auth/admin/list-audit-events?subjectId=${id}`)
    ).body
    assert.ok(events.some(({ action }: { action: string }) => action === 'password.set'))
    assert.equal((await client.get('/api/auth/get-session')).body, null)
    const reset = await service().client().post('/api/auth/reset-password', { token, newPassword: PASSWORD })
    assert.deepEqual([reset.status, reset.body.code], [400, 'INVALID_TOKEN'])
    await signedIn(service(), email, NEW_PASSWORD)
  })

  test('create-admin with a password tells an unverified user that two-step verification is off', async () => {
    const user = await newMember(service())
    await enableTotp(service(), user)
    const { context } = service()
    const setPassword = async () => {
      await createAdmin(context, { email: user.email, name: 'Nia New', password: NEW_PASSWORD })
      const [message] = await service().emails(user.email)
      assert.equal(message?.subject, 'Your password was set by an administrator')
      return message.text.replaceAll(/\s+/g, ' ')
    }
    assert.doesNotMatch(await setPassword(), /two-step/i)
    await context.database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', user.id).execute()
    assert.match(await setPassword(), /Two-step verification is off now\. Set it up after you sign in\./)
  })

  test('create-admin without a password leaves the sessions of an existing user, and revokes impersonated ones', async () => {
    const admin = await administrator(service())
    const { id: userId, email, client } = await newMember(service())
    const { session } = (await admin.client.post('/api/auth/admin/impersonate-user', { userId })).body
    const headers = { authorization: `Bearer ${session.token}` }
    const getImpersonated = async () => (await service().client().get('/api/auth/get-session', { headers })).body
    assert.equal((await getImpersonated()).user.id, userId)
    await createAdmin(service().context, { email, name: 'Nia New' })
    assert.equal(await getImpersonated(), null)
    const rows = service().context.database.selectFrom('sessions').select('impersonatedBy').where('userId', '=', userId)
    assert.deepEqual(
      (await rows.execute()).map(({ impersonatedBy }) => impersonatedBy),
      [null],
    )
    assert.equal((await client.get('/api/auth/get-session')).body.user.role, 'admin')
  })

  test('create-admin without a password leaves one audit event, that of the link, for an existing administrator', async () => {
    const { context } = service()
    const { id, email } = await userWithRole(service(), await administrator(service()), 'admin')
    const listActions = async () => {
      const events = context.database.selectFrom('auditEvents').select('action').where('subjectId', '=', id)
      return (await events.orderBy('id').execute()).map(({ action }) => action)
    }
    const before = await listActions()
    const { passwordLink } = await createAdmin(context, { email, name: 'Nia New' })
    assert.ok(passwordLink)
    assert.deepEqual(await listActions(), [...before, 'password.link-sent'])
  })

  test('create-admin deletes the credentials of an unverified user, which may be of a stranger', async () => {
    const stranger = await userWithPasskey(service())
    const { id, email } = stranger
    const { database } = service().context
    await database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', id).execute()
    const { passwordLink, lostCredentials } = await createAdmin(service().context, { email, name: 'Nia New' })
    assert.ok(lostCredentials)
    assert.equal((await stranger.client.get('/api/auth/get-session')).body, null)
    assert.equal((await tryToSignIn(service().client(), stranger.authenticator)).body.code, 'UNKNOWN_PASSKEY')
    const signIn = await service().client().post('/api/auth/sign-in/email', { email, password: PASSWORD })
    assert.equal(signIn.body.code, 'INVALID_EMAIL_OR_PASSWORD')
    const token = new URL(passwordLink ?? '').hash.slice('#token='.length)
    const reset = { token, newPassword: NEW_PASSWORD }
    assert.equal((await service().client().post('/api/auth/reset-password', reset)).status, 200)
    assert.equal((await signedIn(service(), email, reset.newPassword)).id, id)
  })
})
