import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startDelivery } from '../../../../test/support/delivery.ts'
import { userWithPasskey, userWithPasskeyOnly } from '../../../../test/support/passkeys.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { userWithRole } from '../../../../test/support/staff.ts'
import { enableEmailCodes, enableTotp } from '../../../../test/support/two-step.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  member,
  newEmail,
  newUser,
  signedIn,
  type TestUser,
} from '../../../../test/support/users.ts'

const MINUTE = 60_000

onEachDatabase(
  'get-sign-in-status',
  (service) => {
    /** Support reads the status, because they answer the telephone. */
    async function statusOf(query: Record<string, string>) {
      const support = await userWithRole(service(), await administrator(service()), 'support')
      const { status, body } = await support.client.get(
        `/api/auth/admin/get-sign-in-status?${new URLSearchParams(query)}`,
      )
      assert.equal(status, 200, JSON.stringify(body))
      return { ...body, codes: body.reasons.map(({ code }: { code: string }) => code) }
    }
    const guess = (email: string) =>
      service().client().post('/api/auth/sign-in/email', { email, password: 'not the right one' })

    test('get-sign-in-status shows a user who can sign in, with the last sign-in and password', async () => {
      const user = await userWithRole(service(), await administrator(service()))
      const status = await statusOf({ email: ` ${user.email.toUpperCase()} ` })
      assert.deepEqual([status.canSignIn, status.codes, status.user.id], [true, [], user.id])
      assert.ok(Math.abs(Date.parse(status.lastSignInAt) - service().context.now()) < MINUTE)
      assert.ok(Math.abs(Date.parse(status.password.changedAt) - service().context.now()) < MINUTE)
      assert.deepEqual([status.lastFailureAt, status.passkeys, status.openInvitation], [null, [], null])
    })

    test('get-sign-in-status names an unknown email address, its open invitation, and its failed email', async (t) => {
      const { sink, delivery } = await startDelivery(t, service())
      const { email, invitationId } = await invite(service(), await administratorWithOrganization(service()))
      sink.refuseWith(550)
      await delivery.deliverDue()
      const status = await statusOf({ email })
      assert.deepEqual(status.codes, ['NO_USER', 'EMAIL_FAILED', 'INVITATION_OPEN'])
      assert.deepEqual([status.canSignIn, status.user], [false, null])
      assert.match(status.reasons[1].message, /The reason: 550 /)
      assert.deepEqual(
        [status.openInvitation.id, status.openInvitation.organizationName],
        [invitationId, 'Example Works'],
      )
    })

    test('get-sign-in-status says who banned a user, why and until when, and nothing of an expired ban', async () => {
      const { client } = await administrator(service())
      const userId = await newUser(service())
      await client.post('/api/auth/admin/ban-user', { userId, banReason: 'Left the firm', banExpiresIn: 3600 })
      const status = await statusOf({ userId })
      assert.deepEqual([status.canSignIn, status.codes], [false, ['BANNED']])
      assert.match(
        status.reasons[0].message,
        /^The user is banned by Ada Admin since .* until .* UTC\. .*Left the firm$/,
      )
      const [{ since, until }] = status.reasons
      assert.ok(Math.abs(Date.parse(until) - Date.parse(since) - 60 * MINUTE) < MINUTE)
      service().advance(61 * MINUTE)
      assert.deepEqual((await statusOf({ userId })).codes, [])
    })

    test('get-sign-in-status says until when a password is refused after too many guesses', async () => {
      const email = newEmail()
      const userId = await newUser(service(), { email })
      for (let count = 0; count < 3; count += 1) await guess(email)
      assert.equal((await guess(email)).status, 429)
      const status = await statusOf({ userId })
      assert.deepEqual([status.canSignIn, status.codes], [false, ['TOO_MANY_GUESSES']])
      await service().context.repeatedEvents.save()
      assert.ok((await statusOf({ userId })).lastFailureAt)
      service().advance(Date.parse(status.reasons[0].until) - service().context.now())
      assert.deepEqual((await statusOf({ userId })).codes, [])
      await signedIn(service(), email)
    })

    test('get-sign-in-status tells users without password from users with a passkey', async () => {
      const { client } = await administrator(service())
      const { body } = await client.post('/api/auth/admin/create-user', { email: newEmail(), name: 'Nia New' })
      const without = await statusOf({ userId: body.user.id })
      assert.deepEqual(
        [without.canSignIn, without.codes],
        [false, ['NO_PASSWORD_AND_NO_PASSKEY', 'EMAIL_NOT_VERIFIED']],
      )

      const { email } = await userWithPasskey(service())
      for (let count = 0; count < 3; count += 1) await guess(email)
      const withPasskey = await statusOf({ email })
      assert.deepEqual([withPasskey.canSignIn, withPasskey.codes], [true, ['TOO_MANY_GUESSES']])
      assert.equal(withPasskey.passkeys.length, 1)
    })

    test('get-sign-in-status says what signs in a user who lost the phone: recovery codes, a passkey, an administrator', async () => {
      const { id: userId, email, client } = await userWithPasskey(service())
      assert.deepEqual((await statusOf({ userId })).twoFactor, {
        enabled: false,
        method: null,
        lockedUntil: null,
        recoveryCodesLeft: 0,
        requiredBy: [],
      })
      const { backupCodes } = await enableEmailCodes(service(), { id: userId })
      const code = { code: backupCodes[0], disableSession: true }
      assert.equal((await client.post('/api/auth/two-factor/verify-backup-code', code)).status, 200)
      const status = await statusOf({ userId })
      assert.deepEqual([status.canSignIn, status.codes], [true, ['TWO_STEP_ENABLED']])
      const { enabled, method, recoveryCodesLeft } = status.twoFactor
      assert.deepEqual([enabled, method, recoveryCodesLeft], [true, 'otp', 9])
      const [{ message }] = status.reasons
      for (const part of [
        `a code that we send to ${email}.`,
        '9 recovery codes are left',
        'A passkey works',
        'an administrator can reset',
      ])
        assert.ok(message.includes(part), `${part} in ${message}`)

      const without = await newUser(service())
      await enableTotp(service(), { id: without })
      await service().context.database.deleteFrom('recoveryCodes').where('userId', '=', without).execute()
      const { message: text } = (await statusOf({ userId: without })).reasons[0]
      assert.match(text, /a code of the authenticator app\. No recovery code is left\. For a user who has lost/)
    })

    test('get-sign-in-status says until when the second step is locked, and a passkey signs in despite it', async () => {
      const { id: userId, client } = await userWithRole(service(), await administrator(service()))
      const withPasskey = await userWithPasskey(service())
      for (const user of [{ id: userId, client }, withPasskey]) {
        await enableTotp(service(), user)
        for (let count = 0; count < 10; count += 1)
          await user.client.post('/api/auth/two-factor/verify-totp', { code: '000000' })
      }
      const status = await statusOf({ userId })
      assert.deepEqual([status.canSignIn, status.codes], [false, ['TWO_STEP_LOCKED', 'TWO_STEP_ENABLED']])
      const { lockedUntil } = status.twoFactor
      assert.equal(status.reasons[0].until, lockedUntil)
      const { canSignIn, codes } = await statusOf({ userId: withPasskey.id })
      assert.deepEqual([canSignIn, codes], [true, ['TWO_STEP_LOCKED', 'TWO_STEP_ENABLED']])
      assert.ok(status.lastFailureAt)
      service().advance(Date.parse(lockedUntil) - service().context.now())
      const later = await statusOf({ userId })
      assert.deepEqual([later.canSignIn, later.twoFactor.lockedUntil], [true, null])
    })

    test('get-sign-in-status names what requires two-step verification of a user who has not set it up', async (t) => {
      const founder = await administratorWithOrganization(service())
      const { id: userId } = await member(service(), founder)
      const { client, id } = await userWithRole(service(), await administrator(service()), 'support')
      const passkeyOnly = await userWithPasskeyOnly(service())
      const { database } = service().context
      await database
        .updateTable('sessions')
        .set({ authenticationMethods: 'hwk user mfa' })
        .where('userId', '=', id)
        .execute()
      const { organization } = founder
      await database
        .updateTable('organizations')
        .set({ requireTwoFactor: 1 })
        .where('id', '=', organization.id)
        .execute()
      t.after(() => {
        service().config.requireTwoFactor = 'none'
      })
      service().config.requireTwoFactor = 'all'
      const read = async (ofId = userId) => (await client.get(`/api/auth/admin/get-sign-in-status?userId=${ofId}`)).body
      const { name, slug } = organization
      const requiredBy = [{ kind: 'service' }, { kind: 'organization', id: organization.id, name, slug }]
      const status = await read()
      assert.deepEqual([status.canSignIn, status.twoFactor.requiredBy], [true, requiredBy])
      assert.equal(status.reasons[0].code, 'TWO_STEP_REQUIRED')
      assert.match(status.reasons[0].message, /^Two-step verification is required by this service and Example Works, /)
      await enableTotp(service(), { id: userId })
      const enabled = await read()
      const withoutPassword = await read(passkeyOnly.id)
      assert.deepEqual(withoutPassword.twoFactor.requiredBy[0], { kind: 'service' })
      assert.deepEqual(
        withoutPassword.reasons.map(({ code }: { code: string }) => code),
        ['INVITATION_OPEN'],
      )
      assert.deepEqual(enabled.twoFactor.requiredBy, requiredBy)
      assert.equal(
        enabled.reasons.some(({ code }: { code: string }) => code === 'TWO_STEP_REQUIRED'),
        false,
      )
    })

    test('get-sign-in-status of staff is for administrators, as their sessions and events are', async () => {
      const admin = await administrator(service())
      const support = await userWithRole(service(), admin, 'support')
      const statusFor = async ({ client }: TestUser, query: Record<string, string>) => {
        const { status, body } = await client.get(`/api/auth/admin/get-sign-in-status?${new URLSearchParams(query)}`)
        return [status, body.code ?? body.user.id]
      }
      const refused = [403, 'STAFF_IS_FOR_ADMINS']
      assert.deepEqual(await statusFor(support, { userId: admin.id }), refused)
      assert.deepEqual(await statusFor(support, { email: admin.email }), refused)
      assert.deepEqual(await statusFor(support, { userId: support.id }), [200, support.id])
      assert.deepEqual(await statusFor(admin, { userId: support.id }), [200, support.id])
    })

    test('get-sign-in-status refuses a query that names no user, two users or an unknown id', async () => {
      const { client } = await administrator(service())
      const refusal = async (query: string) => {
        const { status, body } = await client.get(`/api/auth/admin/get-sign-in-status${query}`)
        return [status, body.code]
      }
      assert.deepEqual(await refusal(''), [400, 'VALIDATION_ERROR'])
      assert.deepEqual(await refusal('?email=a@example.com&userId=usr_1'), [400, 'VALIDATION_ERROR'])
      assert.deepEqual(await refusal('?email=nobody'), [400, 'INVALID_EMAIL'])
      assert.deepEqual(await refusal('?userId=usr_none'), [404, 'USER_NOT_FOUND'])
    })
  },
  { ACCOUNT_GUESSES_PER_15_MINUTES: '3' },
)
