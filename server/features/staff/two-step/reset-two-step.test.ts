import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConcurrentStep, concurrently } from '../../../../test/support/concurrently.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { userWithRole } from '../../../../test/support/staff.ts'
import { enableTotp, firstStep } from '../../../../test/support/two-step.ts'
import { administrator, newEmail, newUser, PASSWORD, signedIn } from '../../../../test/support/users.ts'
import { findUser } from '../../../core/users/find-user.ts'
import { updateVerifiedEmail } from '../../../core/users/store.ts'
import { resetTwoStepOfEmail } from './reset-two-step.ts'

const RESET = '/api/auth/admin/reset-two-factor'
const VERIFY = '/api/auth/two-factor/verify-totp'
const REASON = 'Called from the known number, lost the phone'

onEachDatabase('reset-two-factor', (service) => {
  const rowsOf = async (userId: string) => {
    const { database } = service().context
    const tables = ['secondSteps', 'recoveryCodes', 'secondStepFailures', 'trustedDevices', 'sessions'] as const
    const rows = tables.map((table) =>
      database.selectFrom(table).select('userId').where('userId', '=', userId).execute(),
    )
    return (await Promise.all(rows)).map(({ length }) => length)
  }
  const eventsOf = (subjectId: string) =>
    service()
      .context.database.selectFrom('auditEvents')
      .select(['actorId', 'userAgent', 'details'])
      .where('action', '=', 'two-factor.reset')
      .where('subjectId', '=', subjectId)
      .execute()

  test('reset-two-factor lets a user who lost the phone and the recovery codes sign in with the password, and ends everything else', async () => {
    const admin = await administrator(service())
    const { id: userId, email, client } = await userWithRole(service(), admin)
    const { codeAt } = await enableTotp(service(), { id: userId })
    const device = service().client()
    const code = codeAt(service().context.now())
    const { twoFactorToken } = (await firstStep(device, email)).body
    const trusted = await service().client().post(VERIFY, { code, twoFactorToken, trustDevice: true })
    assert.equal(trusted.status, 200, JSON.stringify(trusted.body))
    const waiting = (await firstStep(device, email)).body
    await device.post(VERIFY, { code: '000000' })
    assert.deepEqual(await rowsOf(userId), [1, 10, 1, 1, 2])

    const answer = await admin.client.post(RESET, { userId, reason: REASON })
    assert.deepEqual([answer.status, answer.body], [200, { status: true }])
    assert.deepEqual(await rowsOf(userId), [0, 0, 0, 0, 0])
    assert.equal((await client.get('/api/auth/get-session')).body, null)
    service().advance(60_000)
    const next = { code: codeAt(service().context.now()), twoFactorToken: waiting.twoFactorToken }
    assert.equal((await service().client().post(VERIFY, next)).body.code, 'INVALID_TWO_FACTOR_COOKIE')
    assert.equal((await signedIn(service(), email)).id, userId)
  })

  test('reset-two-factor tells the user by email and in the history, and only the audit log has the reason', async () => {
    const admin = await administrator(service())
    const email = newEmail()
    const userId = await newUser(service(), { email })
    await enableTotp(service(), { id: userId })
    assert.equal((await admin.client.post(RESET, { userId, reason: REASON })).status, 200)
    const [message] = await service().emails(email)
    assert.equal(message?.subject, 'Two-step verification was reset')
    for (const secret of [REASON, admin.email, admin.client.address]) assert.ok(!message?.text.includes(secret), secret)
    const [event] = await eventsOf(userId)
    assert.deepEqual([event?.actorId, JSON.parse(event?.details ?? '')], [admin.id, { reason: REASON }])
    const { client } = await signedIn(service(), email)
    const { events } = (await client.get('/api/auth/list-security-events')).body
    const shown = events.find(({ action }: { action: string }) => action === 'two-factor.reset')
    assert.deepEqual([shown?.byStaff, shown?.ipAddress, shown?.details], [true, null, {}])
  })

  test('reset-two-factor needs a reason of one visible line, and changes nothing without it', async () => {
    const admin = await administrator(service())
    const userId = await newUser(service())
    await enableTotp(service(), { id: userId })
    for (const reason of [undefined, null, '', '  ', 'two\nlines', 'a'.repeat(201), 7]) {
      const { status, body } = await admin.client.post(RESET, { userId, reason })
      assert.deepEqual([status, body.code, body.field], [400, 'VALIDATION_ERROR', 'reason'], JSON.stringify(reason))
    }
    assert.deepEqual((await rowsOf(userId)).slice(0, 2), [1, 10])
    assert.equal((await admin.client.post(RESET, { userId, reason: 'a'.repeat(200) })).status, 200)
  })

  test('reset-two-factor of a user without two-step verification, or with a setup that waits for its first code, returns 400 TWO_FACTOR_NOT_ENABLED', async () => {
    const admin = await administrator(service())
    const { id: userId, client } = await userWithRole(service(), admin)
    const assertRefused = async () => {
      const { status, body } = await admin.client.post(RESET, { userId, reason: REASON })
      assert.deepEqual([status, body.code, body.field], [400, 'TWO_FACTOR_NOT_ENABLED', 'userId'])
    }
    await assertRefused()
    assert.equal((await client.post('/api/auth/two-factor/enable', { password: PASSWORD })).status, 200)
    await assertRefused()
    assert.deepEqual(await rowsOf(userId), [1, 10, 0, 0, 1])
  })

  test('Of concurrent resets by two administrators one succeeds, with one email and one audit event', async () => {
    const [one, other] = [await administrator(service()), await administrator(service())]
    const email = newEmail()
    const userId = await newUser(service(), { email })
    await enableTotp(service(), { id: userId })
    const answers = await Promise.all([one, other].map(({ client }) => client.post(RESET, { userId, reason: REASON })))
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400])
    assert.equal((await service().emails(email)).length, 1)
    assert.equal((await eventsOf(userId)).length, 1)
  })

  test('The command line resets the two-step verification of an administrator, also a setup that waits for its first code', async () => {
    const { context } = service()
    const { id, email, client } = await administrator(service())
    const reset = () => resetTwoStepOfEmail(context, { email: ` ${email.toUpperCase()} `, reason: REASON })
    await assert.rejects(reset, { code: 'TWO_FACTOR_NOT_ENABLED' })
    assert.equal((await client.post('/api/auth/two-factor/enable', { password: PASSWORD })).status, 200)
    assert.equal(await reset(), email)
    await enableTotp(service(), { id })
    assert.equal(await reset(), email)
    assert.deepEqual(await rowsOf(id), [0, 0, 0, 0, 0])
    const events = (await eventsOf(id)).map(({ actorId, userAgent }) => [actorId, userAgent])
    assert.deepEqual(events, Array(2).fill([null, 'command line']))
    const ofNobody = resetTwoStepOfEmail(context, { email: newEmail(), reason: REASON })
    await assert.rejects(ofNobody, { code: 'USER_NOT_FOUND' })
  })

  test('users reset-two-factor does not change a user whose email address is changed concurrently', async () => {
    const admin = await administrator(service())
    const { id, email } = await userWithRole(service(), admin)
    await enableTotp(service(), { id })
    const { context } = service()
    const change: ConcurrentStep = {
      async begin(transaction) {
        await updateVerifiedEmail(transaction, id, newEmail(), context.now())
      },
    }
    const reset = () => resetTwoStepOfEmail(context, { email, reason: REASON }).catch(({ code }) => code)
    assert.equal(await concurrently(service(), change, reset), 'USER_NOT_FOUND')
    assert.equal((await findUser(context.database, id))?.twoFactorEnabled, 1)
  })
})
