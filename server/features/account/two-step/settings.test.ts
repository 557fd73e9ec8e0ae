import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConcurrentStep, concurrently } from '../../../../test/support/concurrently.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { listStoredRows } from '../../../../test/support/stored-rows.ts'
import { appOfUri, enableEmailCodes, enableTotp, firstStep, userWithTotp } from '../../../../test/support/two-step.ts'
import {
  administratorWithOrganization,
  member,
  newMember,
  PASSWORD,
  sessionOf,
  signedIn,
  type TestUser,
  tokenIn,
} from '../../../../test/support/users.ts'
import { OPERATOR } from '../../../core/audit/actor.ts'
import { trustDevice } from '../../../core/devices/trusted-device.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockUserForUpdate } from '../../../core/users/lock-user.ts'
import { maintain } from '../../../maintenance.ts'
import { hashToken } from '../../../platform/crypto/tokens.ts'
import { HOUR_MILLISECONDS } from '../../../platform/time/time-units.ts'

const TWO_FACTOR = '/api/auth/two-factor'
const NEW_PASSWORD = 'another fine long password'
const SECRET_SHOWN = {
  action: 'two-factor.secret-shown',
  subject: 'The key of your authenticator app was shown',
} as const
/** A session may have sent the code, so an email about it must name that possibility, too. */
const SURELY_KNOWN_PASSWORD = /knows\s+your\s+password(?!\s+or\s+is\s+signed\s+in)/

onEachDatabase('two-step settings', (service, engine) => {
  const now = () => service().context.now()
  const appUser = () => userWithTotp(service())
  const post = async ({ client }: Pick<TestUser, 'client'>, name: string, body: object) => {
    const answer = await client.post(`${TWO_FACTOR}/${name}`, body)
    return { ...answer, result: answer.body.code ?? answer.status }
  }
  const status = async ({ client }: Pick<TestUser, 'client'>) => (await client.get(`${TWO_FACTOR}/get-status`)).body
  const isSignedIn = async ({ client }: Pick<TestUser, 'client'>) =>
    (await client.get('/api/auth/get-session')).body !== null
  const methodsOf = async ({ id }: Pick<TestUser, 'id'>) => {
    const rows = await service().context.database.selectFrom('sessions').selectAll().where('userId', '=', id).execute()
    return rows.map(({ authenticationMethods }) => authenticationMethods)
  }
  const endsOfTrust = async ({ id }: Pick<TestUser, 'id'>) => {
    const events = service().context.database.selectFrom('auditEvents').selectAll().where('subjectId', '=', id)
    const rows = await events.where('action', '=', 'trusted-device.revoked').orderBy('createdAt').execute()
    return rows.map(({ actorId, details }) => ({ actorId, ...JSON.parse(details) }))
  }
  const secretShownCount = async ({ id }: Pick<TestUser, 'id'>) => {
    const events = service().context.database.selectFrom('auditEvents').select('id').where('subjectId', '=', id)
    return (await events.where('action', '=', SECRET_SHOWN.action).execute()).length
  }

  /** Changes the email address a second later. @returns the token of the link that undoes it */
  const changeEmail = async ({ client, email }: TestUser) => {
    service().advance(1000)
    const newAddress = `new-${email}`
    await client.post('/api/auth/change-email', { newEmail: newAddress })
    const token = await tokenIn(service(), newAddress)
    await service().client().get(`/api/auth/verify-email?token=${token}`)
    service().advance(1000)
    return tokenIn(service(), email)
  }
  /** @returns a client whose sign-in waits for the second step */
  const undoAndSignIn = async (email: string, undoToken: string) => {
    const client = service().client()
    assert.equal((await client.post('/api/undo-change-email', { token: undoToken })).status, 200)
    const reset = { token: await tokenIn(service(), email), newPassword: NEW_PASSWORD }
    assert.equal((await client.post('/api/auth/reset-password', reset)).status, 200)
    const { body } = await client.post('/api/auth/sign-in/email', { email, password: NEW_PASSWORD })
    assert.equal(body.twoFactorRedirect, true)
    return client
  }
  const restoredText = async (email: string) => {
    const emails = await service().emails(email)
    const restored = emails.find(({ subject }) => subject.startsWith('Your account is back'))
    return (restored?.text ?? '').replaceAll(/\s+/g, ' ')
  }
  const detailsOfUndo = async ({ id }: Pick<TestUser, 'id'>) => {
    const events = service().context.database.selectFrom('auditEvents').select('details').where('subjectId', '=', id)
    return JSON.parse((await events.where('action', '=', 'email.change-undone').executeTakeFirstOrThrow()).details)
  }

  test('The setup of an authenticator app is on with the first code, and signs out every other session', async () => {
    const user = await newMember(service())
    const other = await signedIn(service(), user.email)
    const setup = await post(user, 'enable', { password: PASSWORD, issuer: 'Example Works' })
    assert.equal(setup.body.method, 'totp')
    assert.match(setup.body.totpURI, /^otpauth:\/\/totp\/Example%20Works:hire-\w+%40example\.com\?secret=[A-Z2-7]{32}&/)
    assert.equal(new Set(setup.body.backupCodes).size, 10)
    for (const code of setup.body.backupCodes) assert.match(code, /^([0-9a-hjkmnp-tv-z]{4}-){6}[0-9a-hjkmnp-tv-z]{4}$/)
    assert.equal((await status(user)).enabled, false)

    const former = user.client.cookies.get('session')
    const verified = await post(user, 'verify-totp', { code: appOfUri(setup.body.totpURI).codeAt(now()) })
    assert.equal(verified.body.user.twoFactorEnabled, true)
    assert.notEqual(verified.body.token, former)
    assert.equal(verified.headers.get('set-auth-token'), verified.body.token)
    assert.equal(await isSignedIn(other), false)
    assert.deepEqual(await methodsOf(user), ['pwd otp mfa'])
    const { enabled, method, remainingBackupCodes, hasPassword } = await status(user)
    assert.deepEqual([enabled, method, remainingBackupCodes, hasPassword], [true, 'totp', 10, true])
    assert.equal((await service().emails(user.email))[0]?.subject, 'Two-step verification is on')
    assert.equal((await post(user, 'enable', { password: PASSWORD })).result, 'TOTP_ALREADY_ENABLED')
  })

  test('A wrong code leaves the setup open, and a new setup replaces the secret and the recovery codes', async () => {
    const user = await newMember(service())
    const first = await post(user, 'enable', { password: PASSWORD })
    assert.equal((await post(user, 'verify-totp', { code: '000000' })).result, 'INVALID_CODE')
    const second = await post(user, 'enable', { password: PASSWORD })
    const codeOf = ({ body }: typeof first) => appOfUri(body.totpURI).codeAt(now())
    assert.equal((await post(user, 'verify-totp', { code: codeOf(first) })).result, 'INVALID_CODE')
    assert.equal(
      (await post(user, 'verify-backup-code', { code: second.body.backupCodes[0] })).result,
      'BACKUP_CODES_NOT_ENABLED',
    )
    assert.equal((await post(user, 'verify-totp', { code: codeOf(second) })).result, 200)
    assert.equal(
      (await post(user, 'verify-backup-code', { code: first.body.backupCodes[0] })).result,
      'INVALID_BACKUP_CODE',
    )
    assert.equal((await post(user, 'verify-backup-code', { code: second.body.backupCodes[0] })).result, 200)
  })

  for (const method of ['totp', 'otp'])
    test(`A code of ${method} with expectedCreatedAt ends only the setup of that time, and is not used up otherwise`, async () => {
      const user = await newMember(service())
      const begin = async () => {
        service().advance(1000)
        return (await post(user, 'enable', { password: PASSWORD, method })).body
      }
      const [first, second] = [await begin(), await begin()]
      if (method === 'otp') await post(user, 'send-otp', {})
      const mailed = (await service().emails(user.email))[0]?.text.match(/\b\d{6}\b/)?.[0]
      const code = method === 'otp' ? mailed : appOfUri(second.totpURI).codeAt(now())
      const verify = (expectedCreatedAt: unknown, text = code) =>
        post(user, `verify-${method}`, { code: text, expectedCreatedAt })
      for (const text of [code, '000000']) {
        const { result, status: httpStatus, body } = await verify(first.createdAt, text)
        assert.deepEqual([httpStatus, result, body.field], [400, 'TWO_FACTOR_SETUP_REPLACED', 'expectedCreatedAt'])
      }
      assert.equal((await status(user)).enabled, false)
      assert.equal((await verify('yesterday')).body.field, 'expectedCreatedAt')
      const failures = service().context.database.selectFrom('secondStepFailures').where('userId', '=', user.id)
      assert.deepEqual(await failures.selectAll().execute(), [])
      assert.equal((await verify(second.createdAt)).result, 200)
      assert.equal((await post(user, 'verify-backup-code', { code: second.backupCodes[0] })).result, 200)
    })

  test('A code with expectedCreatedAt is refused after another tab has turned on the other method', async () => {
    const user = await newMember(service())
    const emails = (await post(user, 'enable', { password: PASSWORD, method: 'otp' })).body
    const app = (await post(user, 'enable', { password: PASSWORD })).body
    const code = appOfUri(app.totpURI).codeAt(now())
    assert.equal((await post(user, 'verify-totp', { code, expectedCreatedAt: app.createdAt })).result, 200)
    const late = await post(user, 'verify-otp', { code, expectedCreatedAt: emails.createdAt })
    assert.equal(late.result, 'TWO_FACTOR_SETUP_REPLACED')
  })

  test('A setup belongs to the session that began it', async () => {
    const user = await newMember(service())
    const intruder = await signedIn(service(), user.email)
    const elsewhere = { ...user, client: intruder.client }
    const app = appOfUri((await post(elsewhere, 'enable', { password: PASSWORD })).body.totpURI)
    await post(elsewhere, 'enable', { password: PASSWORD, method: 'otp' })
    const code = app.codeAt(now())
    assert.equal((await post(user, 'get-totp-uri', { password: PASSWORD })).result, 'TOTP_NOT_ENABLED')
    assert.equal((await post(user, 'verify-totp', { code })).result, 'TOTP_NOT_ENABLED')
    assert.equal((await post(user, 'send-otp', {})).result, 'OTP_NOT_ENABLED')
    assert.equal((await post(user, 'verify-otp', { code })).result, 'OTP_NOT_ENABLED')
    assert.equal((await post(elsewhere, 'get-totp-uri', { password: PASSWORD })).result, 200)
    assert.equal((await post(elsewhere, 'verify-totp', { code })).result, 200)
  })

  test('A setup that a process of the previous version began has no session, and can be finished', async () => {
    const user = await newMember(service())
    const app = appOfUri((await post(user, 'enable', { password: PASSWORD })).body.totpURI)
    const { database } = service().context
    await database.updateTable('secondSteps').set({ sessionId: null }).where('userId', '=', user.id).execute()
    assert.equal((await post(user, 'verify-totp', { code: app.codeAt(now()) })).result, 200)
  })

  // The calls of the clock are the same on each engine.
  if (engine === 'sqlite')
    test('A code that arrives as the hour of its setup ends is either refused or turns two-step verification on', async (t) => {
      const { context } = service()
      const setupOf = ({ id }: TestUser) =>
        context.database.selectFrom('secondSteps').selectAll().where('userId', '=', id).executeTakeFirstOrThrow()
      let callCount = 0
      for (let lastCall = 0; callCount >= lastCall; lastCall += 1) {
        const user = await newMember(service())
        const app = appOfUri((await post(user, 'enable', { password: PASSWORD })).body.totpURI)
        const { createdAt } = await setupOf(user)
        const code = app.codeAt(createdAt + HOUR_MILLISECONDS)
        callCount = 0
        const clock = t.mock.method(context, 'now', () => {
          callCount += 1
          return createdAt + HOUR_MILLISECONDS + (callCount > lastCall ? 0 : -1)
        })
        const { result } = await post(user, 'verify-totp', { code })
        clock.mock.restore()
        const { verifiedAt } = await setupOf(user)
        assert.equal(verifiedAt === null ? 'TOTP_NOT_ENABLED' : 200, result, `${lastCall} calls of the clock`)
      }
    })

  test('Codes by email are on with the first code, and stay until an authenticator app is verified', async () => {
    const user = await newMember(service())
    const setup = await post(user, 'enable', { password: PASSWORD, method: 'otp' })
    assert.deepEqual(Object.keys(setup.body).sort(), ['backupCodes', 'createdAt', 'method'])
    assert.equal((await post(user, 'verify-otp', { code: '000000' })).result, 'OTP_HAS_EXPIRED')
    await post(user, 'send-otp', {})
    const code = (await service().emails(user.email))[0]?.text.match(/\b\d{6}\b/)?.[0]
    assert.equal((await post(user, 'verify-otp', { code })).result, 200)
    assert.equal(
      (await post(user, 'enable', { password: PASSWORD, method: 'otp' })).result,
      'TWO_FACTOR_ALREADY_ENABLED',
    )

    const app = appOfUri((await post(user, 'enable', { password: PASSWORD })).body.totpURI)
    assert.deepEqual((await firstStep(service().client(), user.email)).body.twoFactorMethods, ['otp'])
    assert.equal((await post(user, 'verify-totp', { code: app.codeAt(now()) })).result, 200)
    assert.deepEqual((await firstStep(service().client(), user.email)).body.twoFactorMethods, ['totp'])
    assert.equal((await post(user, 'send-otp', {})).result, 'OTP_NOT_ENABLED')
    assert.equal(
      (await post(user, 'verify-backup-code', { code: setup.body.backupCodes[0] })).result,
      'INVALID_BACKUP_CODE',
    )
  })

  test('A setup expires an hour after it began, for a clock that was ahead too, and maintenance purges it later', async () => {
    const { database } = service().context
    const isOver = async (user: TestUser, code: string) => {
      assert.equal((await post(user, 'get-totp-uri', { password: PASSWORD })).result, 'TOTP_NOT_ENABLED')
      assert.equal((await post(user, 'verify-totp', { code })).result, 'TOTP_NOT_ENABLED')
      assert.equal((await post(user, 'send-otp', {})).result, 'OTP_NOT_ENABLED')
      assert.equal((await post(user, 'verify-otp', { code: '000000' })).result, 'OTP_NOT_ENABLED')
    }
    const stepCount = async ({ id }: TestUser) => {
      await maintain(service().context)
      return (await database.selectFrom('secondSteps').select('method').where('userId', '=', id).execute()).length
    }
    const user = await newMember(service())
    const app = appOfUri((await post(user, 'enable', { password: PASSWORD })).body.totpURI)
    await post(user, 'enable', { password: PASSWORD, method: 'otp' })
    service().advance(59 * 60_000)
    assert.equal((await post(user, 'get-totp-uri', { password: PASSWORD })).result, 200)
    service().advance(60_000)
    await isOver(user, app.codeAt(now()))
    assert.equal(await stepCount(user), 2)
    service().advance(3_600_000)
    assert.equal(await stepCount(user), 0)

    const ahead = await newMember(service())
    const second = appOfUri((await post(ahead, 'enable', { password: PASSWORD })).body.totpURI)
    await database
      .updateTable('secondSteps')
      .set({ createdAt: now() + 3_600_000 + 60_000 })
      .where('userId', '=', ahead.id)
      .execute()
    await isOver(ahead, second.codeAt(now()))
    const enabled = await appUser()
    service().advance(3 * 3_600_000)
    assert.equal((await post(enabled, 'verify-totp', { code: enabled.app.codeAt(now()) })).result, 200)
    assert.equal(await stepCount(enabled), 1)
  })

  test('Maintenance purges wrong codes a day after they stopped counting, and no others', async () => {
    const user = await appUser()
    const failures = async () => {
      await maintain(service().context)
      const rows = service().context.database.selectFrom('secondStepFailures').select('count')
      return (await rows.where('userId', '=', user.id).execute()).map(({ count }) => count)
    }
    await post(user, 'verify-totp', { code: '000000' })
    service().advance(47 * 3_600_000)
    assert.deepEqual(await failures(), [1])
    service().advance(3_600_000)
    assert.deepEqual(await failures(), [])
  })

  test('two-step verification requires the password to set up, to read the secret, to renew recovery codes and to turn off', async () => {
    const user = await appUser()
    for (const name of ['enable', 'get-totp-uri', 'generate-backup-codes', 'disable'])
      for (const body of [{}, { password: 'wrong' }]) {
        const { status, result, body: error } = await post(user, name, body)
        assert.deepEqual([status, result, error.field], [400, 'INVALID_PASSWORD', 'password'], name)
      }
    assert.equal((await status(user)).enabled, true)
  })

  test('A user without a password needs a fresh session instead', async () => {
    const user = await newMember(service())
    await service().context.database.deleteFrom('accounts').where('userId', '=', user.id).execute()
    assert.equal((await post(user, 'enable', {})).result, 200)
    service().advance(15 * 60_000)
    assert.equal((await post(user, 'enable', {})).result, 'SESSION_NOT_FRESH')
  })

  test('get-totp-uri returns the same secret, and get-totp-uri without an app returns TOTP_NOT_ENABLED', async () => {
    const user = await appUser()
    const { totpURI } = (await post(user, 'get-totp-uri', { password: PASSWORD })).body
    assert.deepEqual(appOfUri(totpURI).secret, user.app.secret)
    assert.equal(
      (await post(await newMember(service()), 'get-totp-uri', { password: PASSWORD })).result,
      'TOTP_NOT_ENABLED',
    )
  })

  test('get-totp-uri tells the user by email, and is in the audit log and in the history of the account', async () => {
    const user = await appUser()
    assert.equal((await post(user, 'get-totp-uri', { password: PASSWORD })).result, 200)
    const [email, ...others] = await service().emails(user.email)
    assert.equal(email?.subject, SECRET_SHOWN.subject)
    assert.ok(email?.text.includes(`to ${user.email}`))
    assert.ok(others.every(({ subject }) => subject !== SECRET_SHOWN.subject))
    assert.equal(await secretShownCount(user), 1)
    const { events } = (await user.client.get('/api/auth/list-security-events')).body
    assert.deepEqual([events[0].action, events[0].details], [SECRET_SHOWN.action, {}])
  })

  test('get-totp-uri and generate-backup-codes send at most five emails of each kind an hour', async () => {
    const user = await appUser()
    for (const name of ['get-totp-uri', 'generate-backup-codes'])
      for (let count = 0; count < 6; count += 1)
        assert.equal((await post(user, name, { password: PASSWORD })).result, 200, name)
    const subjects = (await service().emails(user.email)).map(({ subject }) => subject)
    for (const subject of [SECRET_SHOWN.subject, 'New recovery codes'])
      assert.equal(subjects.filter((sent) => sent === subject).length, 5, subject)
  })

  test('get-totp-uri with a wrong password or without an app sends no email and inserts no audit event', async () => {
    for (const [user, password, expected] of [
      [await appUser(), 'wrong', 'INVALID_PASSWORD'],
      [await newMember(service()), PASSWORD, 'TOTP_NOT_ENABLED'],
    ] as const) {
      const before = await service().emails(user.email)
      assert.equal((await post(user, 'get-totp-uri', { password })).result, expected)
      assert.equal((await service().emails(user.email)).length, before.length)
      assert.equal(await secretShownCount(user), 0)
    }
  })

  test('get-totp-uri shows nothing of an app that is removed concurrently, and tells nothing', async () => {
    const user = await appUser()
    const before = await service().emails(user.email)
    const removal: ConcurrentStep = {
      begin: (transaction) => lockUserForUpdate(transaction, user.id),
      finish: (transaction) => transaction.deleteFrom('secondSteps').where('userId', '=', user.id).execute(),
    }
    const request = () => post(user, 'get-totp-uri', { password: PASSWORD })
    assert.equal((await concurrently(service(), removal, request)).result, 'TOTP_NOT_ENABLED')
    assert.equal((await service().emails(user.email)).length, before.length)
    assert.equal(await secretShownCount(user), 0)
  })

  test('New recovery codes replace the former ones', async () => {
    const user = await appUser()
    const renewed = await post(user, 'generate-backup-codes', { password: PASSWORD })
    assert.equal(renewed.body.status, true)
    const [former, code] = [user.app.backupCodes[0], renewed.body.backupCodes[0]]
    assert.equal((await post(user, 'verify-backup-code', { code: former })).result, 'INVALID_BACKUP_CODE')
    assert.equal((await post(user, 'verify-backup-code', { code })).result, 200)
    assert.equal(
      (await post(await newMember(service()), 'generate-backup-codes', { password: PASSWORD })).result,
      'TWO_FACTOR_NOT_ENABLED',
    )
  })

  test('disable turns the second step off, ends other sessions, and the current one no longer counts as two steps', async () => {
    const user = await appUser()
    await post(user, 'verify-totp', { code: user.app.codeAt(now()) })
    assert.deepEqual(await methodsOf(user), ['pwd otp mfa'])
    const elsewhere = await sessionOf(service(), user)
    assert.equal((await post(user, 'disable', { password: PASSWORD })).result, 200)
    assert.equal(await isSignedIn(elsewhere), false)
    assert.deepEqual(await methodsOf(user), ['pwd'])
    assert.equal((await firstStep(service().client(), user.email)).body.user.twoFactorEnabled, false)
    assert.equal((await post(user, 'disable', { password: PASSWORD })).result, 'TWO_FACTOR_NOT_ENABLED')
    assert.equal(
      (await post(user, 'verify-backup-code', { code: user.app.backupCodes[0] })).result,
      'BACKUP_CODES_NOT_ENABLED',
    )
  })

  test('verify-totp in a session is a step-up: the session is fresh with a new token, and the former token is refused', async () => {
    const user = await appUser()
    service().advance(15 * 60_000)
    const addPasskey = async () => (await user.client.get('/api/auth/passkey/generate-register-options')).status
    assert.equal(await addPasskey(), 403)
    const stale = user.client.cookies.get('session')
    const verified = await post(user, 'verify-totp', { code: user.app.codeAt(now()) })
    assert.equal(verified.result, 200)
    const copy = service().client()
    copy.cookies.set('session', stale ?? '')
    assert.equal(await isSignedIn({ client: copy }), false)
    assert.equal(await addPasskey(), 200)
  })

  test('The email about ten wrong codes of a session does not say that the password was right', async () => {
    const user = await appUser()
    for (let tries = 0; tries < 10; tries += 1) await post(user, 'verify-backup-code', { code: 'wrong' })
    const [locked] = await service().emails(user.email)
    assert.equal(locked?.subject, 'Too many wrong codes')
    assert.match(locked?.text ?? '', /on a device that is signed in/)
    assert.doesNotMatch(locked?.text ?? '', SURELY_KNOWN_PASSWORD)
  })

  test('The email about a recovery code of a session does not say that the password is known', async () => {
    const user = await appUser()
    assert.equal((await post(user, 'verify-backup-code', { code: user.app.backupCodes[0] })).result, 200)
    const [used] = await service().emails(user.email)
    assert.equal(used?.subject, 'A recovery code was used')
    assert.match(used?.text ?? '', /knows\s+your\s+password\s+or\s+is\s+signed\s+in/)
    assert.doesNotMatch(used?.text ?? '', SURELY_KNOWN_PASSWORD)
  })

  test('A trusted device is not asked again for 30 days, and its sign-in counts as two steps', async () => {
    const user = await appUser()
    const client = service().client()
    await firstStep(client, user.email)
    await client.post(`${TWO_FACTOR}/verify-totp`, { code: user.app.codeAt(now()), trustDevice: true })
    assert.match(client.cookies.get('trusted-device') ?? '', /^[\w-]{43}$/)
    const again = await firstStep(client, user.email)
    assert.equal(again.body.user?.email, user.email)
    assert.ok((await methodsOf(user)).includes('pwd mfa'))
    const [device] = (await client.get(`${TWO_FACTOR}/list-trusted-devices`)).body
    assert.deepEqual(
      [device.isCurrent, Date.parse(device.expiresAt) - Date.parse(device.createdAt)],
      [true, 30 * 86_400_000],
    )
    assert.ok(device.lastUsedAt)
    service().advance(30 * 86_400_000)
    assert.equal((await firstStep(client, user.email)).body.twoFactorRedirect, true)
    await client.post(`${TWO_FACTOR}/verify-totp`, { code: user.app.codeAt(now()) })
    assert.deepEqual((await client.get(`${TWO_FACTOR}/list-trusted-devices`)).body, [])
  })

  test('A client without cookies trusts its device with trustDeviceToken, which a cookie client never sees', async () => {
    const user = await appUser()
    const { twoFactorToken } = (await firstStep(service().client(), user.email)).body
    const body = { code: user.app.codeAt(now()), twoFactorToken, trustDevice: true }
    const { trustDeviceToken } = (await post({ client: service().client() }, 'verify-totp', body)).body
    assert.ok((await firstStep(service().client(), user.email, { trustDeviceToken })).body.token)
    const stranger = await appUser()
    const other = await firstStep(service().client(), stranger.email, { trustDeviceToken })
    assert.equal(other.body.twoFactorRedirect, true)
  })

  for (const [name, end] of [
    ['revoke-sessions', (user) => user.client.post('/api/auth/revoke-sessions')],
    [
      'a password change',
      (user) => user.client.post('/api/auth/change-password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
    ],
    [
      'a password reset',
      async ({ email }) => {
        await service().client().post('/api/auth/request-password-reset', { email })
        const body = { token: await tokenIn(service(), email), newPassword: NEW_PASSWORD }
        return service().client().post('/api/auth/reset-password', body)
      },
    ],
    ['disable', (user) => user.client.post(`${TWO_FACTOR}/disable`, { password: PASSWORD })],
  ] as const satisfies [string, (user: TestUser) => Promise<{ status: number }>][]) {
    test(`${name} ends trusted devices and sign-ins that wait for the second step`, async () => {
      const user = await appUser()
      const trusting = service().client()
      await firstStep(trusting, user.email)
      await trusting.post(`${TWO_FACTOR}/verify-totp`, { code: user.app.codeAt(now()), trustDevice: true })
      const waiting = (await firstStep(service().client(), user.email)).body.twoFactorToken
      assert.equal((await end(user)).status, 200)
      const { database } = service().context
      const devices = await database.selectFrom('trustedDevices').selectAll().where('userId', '=', user.id).execute()
      assert.deepEqual(devices, [])
      const code = user.app.backupCodes[0]
      const late = await post({ client: service().client() }, 'verify-backup-code', { code, twoFactorToken: waiting })
      assert.equal(late.result, 'INVALID_TWO_FACTOR_COOKIE')
    })
  }

  for (const path of ['revoke-sessions', 'change-password'])
    test(`${path} ends the setup of a second step, which an intruder may have begun`, async () => {
      const user = await newMember(service())
      const begun = await user.client.post(`${TWO_FACTOR}/enable`, { password: PASSWORD })
      const app = appOfUri(begun.body.totpURI)
      const body = path === 'change-password' ? { currentPassword: PASSWORD, newPassword: NEW_PASSWORD } : undefined
      assert.equal((await user.client.post(`/api/auth/${path}`, body)).status, 200)
      const later = await signedIn(service(), user.email, body ? NEW_PASSWORD : PASSWORD)
      const late = await post(later, 'verify-totp', { code: app.codeAt(now()) })
      assert.equal(late.result, 'TOTP_NOT_ENABLED')
    })

  test('A password reset by email does not skip the second step', async () => {
    const user = await appUser()
    await service().client().post('/api/auth/request-password-reset', { email: user.email })
    const body = { token: await tokenIn(service(), user.email), newPassword: NEW_PASSWORD }
    await service().client().post('/api/auth/reset-password', body)
    const answer = await service()
      .client()
      .post('/api/auth/sign-in/email', { email: user.email, password: NEW_PASSWORD })
    assert.equal(answer.body.twoFactorRedirect, true)
  })

  test('get-status names what requires a second step, and whether the session has one', async () => {
    const inviter = await administratorWithOrganization(service())
    const user = await member(service(), inviter)
    const { id, name, slug } = inviter.organization
    const data = { requireTwoFactor: true }
    await inviter.client.post('/api/auth/organization/update', { organizationId: id, data })
    const requiredBy = [{ kind: 'organization', id, name, slug }]
    const before = await status(user)
    assert.deepEqual([before.requiredBy, before.isSatisfied], [requiredBy, false])
    const app = await enableTotp(service(), user)
    await post(user, 'verify-totp', { code: app.codeAt(now()) })
    const after = await status(user)
    assert.deepEqual([after.requiredBy, after.isSatisfied], [requiredBy, true])
    assert.equal((await status(await newMember(service()))).isSatisfied, true)
  })

  test('An unverified user who resets the password loses a second step that an intruder may have set up', async () => {
    const user = await appUser()
    const { database } = service().context
    await database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', user.id).execute()
    await service().client().post('/api/auth/request-password-reset', { email: user.email })
    const body = { token: await tokenIn(service(), user.email), newPassword: NEW_PASSWORD }
    assert.equal((await service().client().post('/api/auth/reset-password', body)).status, 200)
    const signIn = { email: user.email, password: NEW_PASSWORD }
    assert.ok((await service().client().post('/api/auth/sign-in/email', signIn)).body.token)
  })

  for (const [when, isKept] of [
    ['before', true],
    ['after', false],
  ] as const) {
    test(`undo-change-email ${isKept ? 'keeps' : 'removes'} a second step of ${when} the change`, async () => {
      const user = await newMember(service())
      if (isKept) await enableTotp(service(), user)
      const undoToken = await changeEmail(user)
      if (!isKept) await enableTotp(service(), user)
      assert.equal((await service().client().post('/api/undo-change-email', { token: undoToken })).status, 200)
      const body = { token: await tokenIn(service(), user.email), newPassword: NEW_PASSWORD }
      await service().client().post('/api/auth/reset-password', body)
      const signIn = { email: user.email, password: NEW_PASSWORD }
      const answer = await service().client().post('/api/auth/sign-in/email', signIn)
      assert.equal(answer.body.twoFactorRedirect ?? false, isKept)
    })
  }

  test('undo-change-email deletes the recovery codes that an intruder created after the change, and the email says so', async () => {
    const user = await appUser()
    const undoToken = await changeEmail(user)
    const { backupCodes } = (await post(user, 'generate-backup-codes', { password: PASSWORD })).body
    const client = await undoAndSignIn(user.email, undoToken)
    const [code] = backupCodes
    assert.equal((await post({ client }, 'verify-backup-code', { code })).result, 'INVALID_BACKUP_CODE')
    assert.equal((await post({ client }, 'verify-totp', { code: user.app.codeAt(now()) })).result, 200)
    const text = await restoredText(user.email)
    assert.match(text, /Recovery codes that were created after the change no longer work\./)
    assert.match(text, /Another person may have the earlier ones, and the key of your authenticator app/)
    assert.deepEqual(await detailsOfUndo(user), { deletedRecoveryCodes: 10 })
  })

  test('The email of undo-change-email says that two-step verification is off if the user has none of before the change left', async () => {
    const sayOff = /Two-step verification is off now\. Set it up after you sign in\./
    const undoChange = async (user: TestUser, setUpAfter: (user: TestUser) => Promise<unknown>) => {
      const token = await changeEmail(user)
      await setUpAfter(user)
      assert.equal((await service().client().post('/api/undo-change-email', { token })).status, 200)
      return restoredText(user.email)
    }
    const none = async () => undefined
    assert.match(await undoChange(await newMember(service()), (user) => enableTotp(service(), user)), sayOff)
    const disable = (user: TestUser) => post(user, 'disable', { password: PASSWORD })
    assert.match(await undoChange(await appUser(), disable), sayOff)
    assert.doesNotMatch(await undoChange(await appUser(), none), sayOff)
    assert.doesNotMatch(await undoChange(await newMember(service()), none), /two-step/i)
  })

  test('undo-change-email leaves the unused recovery codes from before the change', async () => {
    const user = await newMember(service())
    const { backupCodes } = await enableEmailCodes(service(), user)
    assert.equal((await post(user, 'verify-backup-code', { code: backupCodes[0] })).result, 200)
    const undoToken = await changeEmail(user)
    const client = await undoAndSignIn(user.email, undoToken)
    const verify = (code = '') => post({ client }, 'verify-backup-code', { code })
    assert.equal((await verify(backupCodes[0])).result, 'INVALID_BACKUP_CODE')
    const { result, body } = await verify(backupCodes[1])
    assert.deepEqual([result, body.remainingBackupCodes], [200, 8])
    assert.deepEqual(await detailsOfUndo(user), {})
  })

  test('The email of undo-change-email does not deny the recovery codes that an intruder created before the change', async () => {
    const user = await newMember(service())
    await enableEmailCodes(service(), user)
    const { backupCodes } = (await post(user, 'generate-backup-codes', { password: PASSWORD })).body
    const client = await undoAndSignIn(user.email, await changeEmail(user))
    assert.equal((await post({ client }, 'verify-backup-code', { code: backupCodes[0] })).result, 200)
    const text = await restoredText(user.email)
    assert.match(text, /created after the change no longer work\. Another person may have the earlier ones: after you/)
  })

  test('undo-change-email with a link of an earlier version, which does not know the recovery codes, deletes them', async () => {
    const user = await appUser()
    const undoToken = await changeEmail(user)
    const { database } = service().context
    const link = { tokenHash: hashToken(undoToken), data: JSON.stringify({ oldEmail: user.email }) }
    await database.updateTable('singleUseTokens').set(link).where('tokenHash', '=', link.tokenHash).execute()
    const client = await undoAndSignIn(user.email, undoToken)
    const [code] = user.app.backupCodes
    assert.equal((await post({ client }, 'verify-backup-code', { code })).result, 'INVALID_BACKUP_CODE')
  })

  test('A user has at most 20 trusted devices: a new one replaces the oldest, and expired ones are purged', async () => {
    const { id } = await newMember(service())
    const { context } = service()
    const devices = () => context.database.selectFrom('trustedDevices').selectAll().where('userId', '=', id).execute()
    const trust = () => inTransaction(context, OPERATOR, (unit) => trustDevice(unit, id, undefined))
    await trust()
    const [oldest] = await devices()
    for (let count = 0; count < 20; count++) {
      service().advance(1)
      await trust()
    }
    const ids = (await devices()).map((device) => device.id)
    assert.deepEqual([ids.length, ids.includes(oldest?.id ?? '')], [20, false])
    assert.deepEqual(await endsOfTrust({ id }), [{ actorId: null, deviceId: oldest?.id }])
    service().advance(30 * 86_400_000)
    await maintain(context)
    assert.deepEqual(await devices(), [])
  })

  test('A device that was trusted while the clock was a year ahead is neither trusted nor listed, and leaves 20 others', async () => {
    const user = await appUser()
    const { client } = user
    const { context } = service()
    const trust = () => inTransaction(context, OPERATOR, (unit) => trustDevice(unit, user.id, undefined))
    const list = async () => (await client.get(`${TWO_FACTOR}/list-trusted-devices`)).body as unknown[]
    service().advance(365 * 86_400_000)
    const trustDeviceToken = await trust()
    service().advance(-365 * 86_400_000)
    assert.equal((await firstStep(service().client(), user.email, { trustDeviceToken })).body.twoFactorRedirect, true)
    assert.deepEqual(await list(), [])
    for (let count = 0; count < 20; count++) await trust()
    assert.equal((await list()).length, 20)
  })

  test('The end of trusted devices is recorded, also if no session ends with them', async () => {
    const user = await appUser()
    const { context } = service()
    for (let count = 0; count < 2; count++)
      await inTransaction(context, OPERATOR, (unit) => trustDevice(unit, user.id, undefined))
    for (let time = 0; time < 2; time++)
      assert.equal((await user.client.post('/api/auth/revoke-other-sessions', {})).status, 200)
    assert.deepEqual(await endsOfTrust(user), [{ actorId: user.id, count: 2 }])
  })

  test('A user who trusts a browser ends the trust of another user in it, whose audit events have that', async () => {
    const [user, other] = [await appUser(), await appUser()]
    await post(user, 'verify-totp', { code: user.app.codeAt(now()), trustDevice: true })
    const [{ id: deviceId }] = (await user.client.get(`${TWO_FACTOR}/list-trusted-devices`)).body
    other.client.cookies.set('trusted-device', user.client.cookies.get('trusted-device') ?? '')
    await post(other, 'verify-totp', { code: other.app.codeAt(now()), trustDevice: true })
    assert.deepEqual((await user.client.get(`${TWO_FACTOR}/list-trusted-devices`)).body, [])
    assert.deepEqual([await endsOfTrust(user), await endsOfTrust(other)], [[{ actorId: null, deviceId }], []])
  })

  test('A device that is trusted again has one trust', async () => {
    const user = await appUser()
    for (const later of [0, 30_000])
      await post(user, 'verify-totp', { code: user.app.codeAt(now() + later), trustDevice: true })
    assert.equal((await user.client.get(`${TWO_FACTOR}/list-trusted-devices`)).body.length, 1)
  })

  test('A session that a passkey signed in still counts as such after a code, and after the end of two-step verification', async () => {
    const user = await appUser()
    const authenticationMethods = 'hwk user mfa'
    const { database } = service().context
    await database.updateTable('sessions').set({ authenticationMethods }).where('userId', '=', user.id).execute()
    await post(user, 'verify-totp', { code: user.app.codeAt(now()) })
    assert.deepEqual(await methodsOf(user), [authenticationMethods])
    await post(user, 'disable', { password: PASSWORD })
    assert.deepEqual(await methodsOf(user), [authenticationMethods])
  })

  test('A session that is revoked while its password is verified sets nothing up', async () => {
    const user = await newMember(service())
    const revocation: ConcurrentStep = {
      begin: (transaction) => transaction.deleteFrom('sessions').where('userId', '=', user.id).execute(),
    }
    const enable = () => post(user, 'enable', { password: PASSWORD })
    assert.equal((await concurrently(service(), revocation, enable)).result, 'UNAUTHORIZED')
  })

  test('A device is revoked by its user only', async () => {
    const user = await appUser()
    await post(user, 'verify-totp', { code: user.app.codeAt(now()), trustDevice: true })
    const [{ id }] = (await user.client.get(`${TWO_FACTOR}/list-trusted-devices`)).body
    assert.equal(
      (await post(await newMember(service()), 'revoke-trusted-device', { id })).result,
      'TRUSTED_DEVICE_NOT_FOUND',
    )
    assert.equal((await post(user, 'revoke-trusted-device', { id })).result, 200)
    assert.equal((await firstStep(user.client, user.email)).body.twoFactorRedirect, true)
  })

  test('A sign-in on a trusted device that is revoked concurrently is asked for the second step', async () => {
    const user = await appUser()
    await post(user, 'verify-totp', { code: user.app.codeAt(now()), trustDevice: true })
    const revocation: ConcurrentStep = {
      begin: (transaction) => transaction.deleteFrom('trustedDevices').where('userId', '=', user.id).execute(),
    }
    const { body } = await concurrently(service(), revocation, () => firstStep(user.client, user.email))
    assert.equal(body.twoFactorRedirect, true)
  })

  test('The database has no secret and no code in the clear', async () => {
    const [user, other] = [await newMember(service()), await newMember(service())]
    const { totpURI, backupCodes } = (await post(user, 'enable', { password: PASSWORD })).body
    const { secret, codeAt } = appOfUri(totpURI)
    assert.equal((await post(user, 'verify-totp', { code: codeAt(now()) })).result, 200)
    service().advance(30_000)
    const appCode = codeAt(now())
    assert.equal((await post(user, 'verify-totp', { code: appCode, trustDevice: true })).result, 200)
    assert.equal((await post(user, 'verify-backup-code', { code: backupCodes[0] })).result, 200)
    await post(other, 'enable', { password: PASSWORD, method: 'otp' })
    await post(other, 'send-otp', {})
    const emailCode = (await service().emails(other.email))[0]?.text.match(/\b\d{6}\b/)?.[0] ?? ''
    const secrets = [
      ...['base64url', 'hex'].map((encoding) => secret.toString(encoding as BufferEncoding)),
      new URL(totpURI).searchParams.get('secret') ?? '',
      ...backupCodes.flatMap((code: string) => [code, code.replaceAll('-', '')]),
      user.client.cookies.get('trusted-device') ?? '',
    ]
    const rows = await listStoredRows(service().context.database)
    const text = rows.flatMap((row) => Object.values(row)).join('\n')
    for (const plain of secrets) assert.ok(plain.length > 20 && !text.includes(plain), plain)
    for (const code of [appCode, emailCode]) {
      assert.equal(code.length, 6)
      // Six digits inside a number, an id or a hash are not the code.
      assert.doesNotMatch(text, new RegExp(`(?<![\\w-])${code}(?![\\w-])`))
    }
  })
})
