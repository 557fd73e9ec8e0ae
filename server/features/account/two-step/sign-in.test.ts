import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { assertBrowserSession } from '../../../../test/support/session-cookie.ts'
import { afterStatement } from '../../../../test/support/statements.ts'
import { appOfUri, enableEmailCodes, enableTotp, firstStep, userWithTotp } from '../../../../test/support/two-step.ts'
import { newMember, PASSWORD } from '../../../../test/support/users.ts'
import { findFailures, insertSecondSteps, saveFailures } from '../../../core/two-step/store.ts'
import { createKeyring } from '../../../platform/crypto/keyring.ts'
import { hashToken } from '../../../platform/crypto/tokens.ts'
import { DAY_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../platform/time/time-units.ts'

const STEP = 30_000
const TWO_FACTOR = '/api/auth/two-factor'

onEachDatabase('two-step sign-in', (service) => {
  const now = () => service().context.now()
  const appUser = () => userWithTotp(service())

  test('The first step of a user with an authenticator app starts no session and answers with a challenge', async () => {
    const { email } = await appUser()
    const client = service().client()
    const answer = await firstStep(client, email)
    assert.equal(answer.status, 200)
    const { twoFactorToken, ...rest } = answer.body
    assert.deepEqual(rest, { twoFactorRedirect: true, twoFactorMethods: ['totp'] })
    assert.match(twoFactorToken, /^[\w-]{43}$/)
    assert.equal(answer.headers.get('set-auth-token'), null)
    const cookies = answer.headers.getSetCookie()
    assert.equal(cookies.length, 1)
    assert.match(cookies[0] ?? '', /^two-factor=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
    assert.equal((await client.get('/api/auth/get-session')).body, null)
  })

  test('The second step by cookie starts the session, and its answer has the token and the current user', async () => {
    const { email, app } = await appUser()
    const client = service().client()
    await firstStep(client, email)
    const answer = await client.post(`${TWO_FACTOR}/verify-totp`, { code: app.codeAt(now()) })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.deepEqual(Object.keys(answer.body).sort(), ['token', 'user'])
    assert.equal(answer.headers.get('set-auth-token'), answer.body.token)
    assert.equal(answer.body.user.twoFactorEnabled, true)
    assert.equal(client.cookies.get('two-factor'), undefined)
    assert.equal((await client.get('/api/auth/get-session')).body.user.email, email)
  })

  test('The second step ends the former session of the browser as the user of that session', async () => {
    const [user, former] = [await appUser(), await newMember(service())]
    const { twoFactorToken } = (await firstStep(service().client(), user.email)).body
    const body = { code: user.app.codeAt(now()), twoFactorToken }
    const answer = await former.client.post(`${TWO_FACTOR}/verify-totp`, body)
    assert.equal(answer.body.user?.id, user.id)
    const events = service().context.database.selectFrom('auditEvents').select(['action', 'actorId', 'subjectId'])
    const ofRequest = events.where('requestId', '=', answer.headers.get('x-request-id')).orderBy('action')
    const recorded = (await ofRequest.execute()).map(({ action, actorId, subjectId }) => [action, actorId, subjectId])
    assert.deepEqual(recorded, [
      ['session.ended', former.id, former.id],
      ['session.started', user.id, user.id],
      ['two-factor.verified', user.id, user.id],
    ])
  })

  test('The second step without cookies takes twoFactorToken', async () => {
    const { email, app } = await appUser()
    const { twoFactorToken } = (await firstStep(service().client(), email)).body
    const elsewhere = service().client()
    const code = app.codeAt(now())
    const answer = await elsewhere.post(`${TWO_FACTOR}/verify-totp`, { code, twoFactorToken })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const again = await service().client().post(`${TWO_FACTOR}/verify-totp`, { code, twoFactorToken })
    assert.deepEqual([again.status, again.body.code], [401, 'INVALID_TWO_FACTOR_COOKIE'])
  })

  test('rememberMe: false of the first step holds for the session', async () => {
    const { email, app } = await appUser()
    const client = service().client()
    await firstStep(client, email, { rememberMe: false })
    assertBrowserSession(await client.post(`${TWO_FACTOR}/verify-totp`, { code: app.codeAt(now()) }))
  })

  test('A code is accepted once, also over several sign-ins, and no older code is accepted after it', async () => {
    const { email, app } = await appUser()
    const verify = async (code: string) => {
      const client = service().client()
      await firstStep(client, email)
      return (await client.post(`${TWO_FACTOR}/verify-totp`, { code })).body.code ?? 'verified'
    }
    const at = now()
    assert.equal(await verify(app.codeAt(at)), 'verified')
    assert.equal(await verify(app.codeAt(at)), 'INVALID_CODE')
    assert.equal(await verify(app.codeAt(at - STEP)), 'INVALID_CODE')
    assert.equal(await verify(app.codeAt(at + STEP)), 'verified')
    assert.equal(await verify(app.codeAt(at)), 'INVALID_CODE')
  })

  test('A challenge ends after five wrong codes, and then refuses the right code', async () => {
    const { email, app } = await appUser()
    const client = service().client()
    await firstStep(client, email)
    const verify = async (code: string) => {
      const { status, body } = await client.post(`${TWO_FACTOR}/verify-totp`, { code })
      return [status, body.code]
    }
    for (let count = 0; count < 5; count++) assert.deepEqual(await verify('000000'), [401, 'INVALID_CODE'])
    assert.deepEqual(await verify(app.codeAt(now())), [400, 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE'])
  })

  test('Ten failures of a user lock every kind of code for 15 minutes, but no live session', async () => {
    const { id, email, app, client: signedIn } = await appUser()
    let lockedAfter = 0
    for (let count = 0; count < 10; count++) {
      const { twoFactorToken } = (await firstStep(service().client(), email)).body
      const path = count % 2 === 0 ? 'verify-totp' : 'verify-backup-code'
      lockedAfter = now()
      const answer = await service().client().post(`${TWO_FACTOR}/${path}`, { code: '000000', twoFactorToken })
      assert.equal(answer.status, 401)
    }
    const { twoFactorToken } = (await firstStep(service().client(), email)).body
    for (const [path, code] of [
      ['verify-totp', app.codeAt(now())],
      ['verify-backup-code', app.backupCodes[0]],
    ] as const) {
      const answer = await service().client().post(`${TWO_FACTOR}/${path}`, { code, twoFactorToken })
      assert.deepEqual([answer.status, answer.body.code], [429, 'ACCOUNT_TEMPORARILY_LOCKED'])
      const retryAfter = Number(answer.headers.get('retry-after'))
      // A slow machine may take seconds since the lock.
      assert.ok(retryAfter <= 900 && retryAfter >= 900 - Math.ceil((now() - lockedAfter) / 1000), String(retryAfter))
      assert.equal(answer.headers.get('x-retry-after'), String(retryAfter))
    }
    assert.equal((await signedIn.get('/api/auth/get-session')).body.user.email, email)
    const [email_] = await service().emails(email)
    assert.equal(email_?.subject, 'Too many wrong codes')
    const events = service().context.database.selectFrom('auditEvents').select('action').where('subjectId', '=', id)
    const recorded = (await events.execute()).map(({ action }) => action)
    const countOf = (action: string) => recorded.filter((one) => one === action).length
    assert.deepEqual([countOf('two-factor.failed'), countOf('two-factor.locked')], [10, 1])
    service().advance(15 * 60_000)
    const client = service().client()
    await firstStep(client, email)
    assert.equal((await client.post(`${TWO_FACTOR}/verify-totp`, { code: app.codeAt(now()) })).status, 200)
  })

  test('Ten failures within a day lock the codes and send an email, however slowly they come', async () => {
    const { email, client } = await appUser()
    const fail = async () => (await client.post(`${TWO_FACTOR}/verify-backup-code`, { code: 'wrong' })).body.code
    const isTold = async () => (await service().emails(email)).some(({ subject }) => subject === 'Too many wrong codes')
    for (let count = 0; count < 9; count++) {
      assert.equal(await fail(), 'INVALID_BACKUP_CODE')
      service().advance(2 * 3_600_000)
    }
    assert.equal(await isTold(), false)
    assert.equal(await fail(), 'INVALID_BACKUP_CODE')
    assert.equal(await isTold(), true)
    assert.equal(await fail(), 'ACCOUNT_TEMPORARILY_LOCKED')
    service().advance(15 * 60_000)
    assert.equal(await fail(), 'INVALID_BACKUP_CODE')
  })

  test('Failures count for a day, and a count or lock from a clock that was ahead is ignored', async () => {
    const { id, client } = await appUser()
    const { database } = service().context
    const fail = async () => (await client.post(`${TWO_FACTOR}/verify-backup-code`, { code: 'wrong' })).body.code
    const count = async () => (await findFailures(database, id))?.count
    for (let failures = 0; failures < 9; failures++) await fail()
    service().advance(86_400_000)
    await fail()
    assert.equal(await count(), 1)
    await saveFailures(database, { userId: id, count: 9, expiresAt: now() + 3 * 86_400_000 })
    await fail()
    assert.equal(await count(), 1)
    await saveFailures(database, { userId: id, count: 10, expiresAt: now() + 3_600_000 })
    assert.equal(await fail(), 'INVALID_BACKUP_CODE')
    assert.equal(await count(), 1)
  })

  test('Ten failures of a user lock also the code by email, which is not sent', async () => {
    const user = await newMember(service())
    await enableEmailCodes(service(), user)
    for (let count = 0; count < 10; count++) {
      const client = service().client()
      await firstStep(client, user.email)
      assert.equal((await client.post(`${TWO_FACTOR}/verify-backup-code`, { code: '000000' })).status, 401)
    }
    const client = service().client()
    await firstStep(client, user.email)
    const sent = (await service().emails(user.email)).length
    for (const [path, body] of [
      ['send-otp', {}],
      ['verify-otp', { code: '000000' }],
    ] as const) {
      const answer = await client.post(`${TWO_FACTOR}/${path}`, body)
      assert.deepEqual([answer.status, answer.body.code], [429, 'ACCOUNT_TEMPORARILY_LOCKED'], path)
    }
    assert.equal((await service().emails(user.email)).length, sent)
  })

  test('A right code deletes the failures of before', async () => {
    const { id, client, app } = await appUser()
    const verify = async (code: string) => (await client.post(`${TWO_FACTOR}/verify-totp`, { code })).status
    assert.equal(await verify('000000'), 401)
    const { database } = service().context
    assert.equal((await findFailures(database, id))?.userId, id)
    assert.equal(await verify(app.codeAt(now())), 200)
    assert.equal(await findFailures(database, id), undefined)
  })

  test('A recovery code finishes a sign-in once, and answer and email tell how many are left', async () => {
    const { email, app } = await appUser()
    const verify = async (code = '') => {
      const client = service().client()
      await firstStep(client, email)
      return client.post(`${TWO_FACTOR}/verify-backup-code`, { code })
    }
    const [first = '', second = ''] = app.backupCodes
    const answer = await verify(` ${first.toUpperCase().replaceAll('-', ' ')} `)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.equal(answer.body.remainingBackupCodes, 9)
    assert.equal((await verify(first)).body.code, 'INVALID_BACKUP_CODE')
    const texts = (await service().emails(email)).map(({ text }) => text)
    assert.ok(texts.some((text) => /9 recovery\s+codes\s+are\s+left/.test(text)))
    assert.equal((await verify(second)).body.remainingBackupCodes, 8)
  })

  test('A recovery code with disableSession is used, and starts no session', async () => {
    const { email, app } = await appUser()
    const client = service().client()
    await firstStep(client, email)
    const answer = await client.post(`${TWO_FACTOR}/verify-backup-code`, {
      code: app.backupCodes[0],
      disableSession: true,
    })
    assert.deepEqual(Object.keys(answer.body).sort(), ['remainingBackupCodes', 'user'])
    assert.equal(answer.headers.get('set-auth-token'), null)
    assert.equal((await client.get('/api/auth/get-session')).body, null)
    assert.equal(client.cookies.get('two-factor'), undefined)
  })

  test('A user of codes by email gets one, which works only for the sign-in that asked for it', async () => {
    const user = await newMember(service())
    await enableEmailCodes(service(), user)
    const [client, other] = [service().client(), service().client()]
    assert.deepEqual((await firstStep(client, user.email)).body.twoFactorMethods, ['otp'])
    await firstStep(other, user.email)
    assert.deepEqual((await client.post(`${TWO_FACTOR}/send-otp`, {})).body, { status: true })
    const code = (await service().emails(user.email))[0]?.text.match(/\b\d{6}\b/)?.[0]
    assert.equal((await other.post(`${TWO_FACTOR}/verify-otp`, { code })).body.code, 'INVALID_CODE')
    assert.equal((await client.post(`${TWO_FACTOR}/verify-otp`, { code })).status, 200)
  })

  test('A mailed code expires after 5 minutes, and ends after five wrong codes', async () => {
    const user = await newMember(service())
    await enableEmailCodes(service(), user)
    const client = user.client
    const verify = async (code: string | undefined) =>
      (await client.post(`${TWO_FACTOR}/verify-otp`, { code })).body.code ?? 'verified'
    const send = async () => {
      assert.equal((await client.post(`${TWO_FACTOR}/send-otp`, {})).status, 200)
      return (await service().emails(user.email))[0]?.text.match(/\b\d{6}\b/)?.[0]
    }
    const expired = await send()
    service().advance(5 * 60_000)
    assert.equal(await verify(expired), 'OTP_HAS_EXPIRED')
    const right = await send()
    const wrong = right === '111111' ? '222222' : '111111'
    for (let count = 0; count < 5; count++) assert.equal(await verify(wrong), 'INVALID_CODE')
    assert.equal(await verify(right), 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE')
    assert.equal(await verify(await send()), 'verified')
    assert.equal(await verify(right), 'OTP_HAS_EXPIRED')
  })

  test('A mailed code of a clock that was ahead has expired when the clock is right again', async () => {
    const user = await newMember(service())
    await enableEmailCodes(service(), user)
    service().advance(3_600_000)
    await user.client.post(`${TWO_FACTOR}/send-otp`, {})
    const code = (await service().emails(user.email))[0]?.text.match(/\b\d{6}\b/)?.[0]
    service().advance(-3_600_000)
    assert.equal((await user.client.post(`${TWO_FACTOR}/verify-otp`, { code })).body.code, 'OTP_HAS_EXPIRED')
  })

  test('An app that is only being set up finishes no sign-in of a user of codes by email', async () => {
    const user = await newMember(service())
    await enableEmailCodes(service(), user)
    const { totpURI, backupCodes } = (await user.client.post(`${TWO_FACTOR}/enable`, { password: PASSWORD })).body
    const client = service().client()
    assert.deepEqual((await firstStep(client, user.email)).body.twoFactorMethods, ['otp'])
    const totp = await client.post(`${TWO_FACTOR}/verify-totp`, { code: appOfUri(totpURI).codeAt(now()) })
    assert.deepEqual([totp.status, totp.body.code], [400, 'TOTP_NOT_ENABLED'])
    const recovery = await client.post(`${TWO_FACTOR}/verify-backup-code`, { code: backupCodes[0] })
    assert.deepEqual([recovery.status, recovery.body.code], [401, 'INVALID_BACKUP_CODE'])
  })

  test('A sign-in gets no code by email while the emails are only being set up', async () => {
    const { id, email } = await appUser()
    const mailed = { codeMac: null, codeExpiresAt: null, codeFailures: 0 }
    const pending = { userId: id, method: 'otp', encryptedSecret: null, verifiedAt: null, usedStep: null } as const
    await insertSecondSteps(service().context.database, [{ ...pending, ...mailed, createdAt: now(), sessionId: null }])
    const client = service().client()
    await firstStep(client, email)
    assert.equal((await client.post(`${TWO_FACTOR}/send-otp`, {})).body.code, 'OTP_NOT_ENABLED')
    assert.equal((await client.post(`${TWO_FACTOR}/verify-otp`, { code: '000000' })).body.code, 'OTP_NOT_ENABLED')
  })

  const isAlive = async (token: string) => {
    const asBearer = { headers: { authorization: `Bearer ${token}` } }
    return (await service().client().get('/api/auth/get-session', asBearer)).body !== null
  }

  test('The first step revokes the session of another user in the browser, and the second step clears the challenge', async () => {
    const { email, app } = await appUser()
    const { client, token } = await newMember(service())
    await firstStep(client, email)
    assert.equal(client.cookies.get('session'), undefined)
    assert.equal(await isAlive(token), false)
    await client.post(`${TWO_FACTOR}/verify-totp`, { code: app.codeAt(now()) })
    assert.equal(client.cookies.get('two-factor'), undefined)
  })

  test("The first step takes the user's own session from the browser, and the second step revokes it", async () => {
    const { client, email, token, app } = await appUser()
    await firstStep(client, email)
    assert.equal(client.cookies.get('session'), undefined)
    assert.equal(await isAlive(token), true)
    const answer = await client.post(`${TWO_FACTOR}/verify-totp`, { code: app.codeAt(now()) })
    assert.deepEqual([await isAlive(token), await isAlive(answer.body.token)], [false, true])
  })

  for (const [state, milliseconds] of [
    ['was just extended', 2 * DAY_MILLISECONDS],
    ['is due for an extension five minutes later', DAY_MILLISECONDS - 5 * MINUTE_MILLISECONDS],
  ] as const)
    test(`Without the second step, the user's own session that ${state} ends with the challenge, however it is used`, async () => {
      const { client, email, token } = await appUser()
      service().advance(milliseconds)
      await firstStep(client, email)
      service().advance(6 * MINUTE_MILLISECONDS)
      assert.equal(await isAlive(token), true)
      service().advance(4 * MINUTE_MILLISECONDS)
      assert.equal(await isAlive(token), false)
    })

  test("A use that found the user's own session before the first step does not extend it after that", async (t) => {
    const { client, email, token } = await appUser()
    service().advance(2 * DAY_MILLISECONDS)
    const signIn = { matching: /from "sessions" inner join "users"/, step: () => firstStep(client, email) }
    assert.equal(await afterStatement(t, service(), signIn, () => isAlive(token)), true)
    service().advance(10 * MINUTE_MILLISECONDS)
    assert.equal(await isAlive(token), false)
  })

  test('The first step does not prolong a session that ends before the challenge', async () => {
    const { client, email, token } = await appUser()
    const end = now() + 5 * MINUTE_MILLISECONDS
    // A session of one day, which no use extends.
    const ofDay = { rememberMe: 0, createdAt: end - DAY_MILLISECONDS, expiresAt: end }
    const sessions = service().context.database.updateTable('sessions').set(ofDay)
    await sessions.where('tokenHash', '=', hashToken(token)).execute()
    await firstStep(client, email)
    assert.equal(await isAlive(token), true)
    service().advance(5 * MINUTE_MILLISECONDS)
    assert.equal(await isAlive(token), false)
  })

  test('The second step revokes a session that the browser got since the first step', async () => {
    const { email, app } = await appUser()
    const { twoFactorToken } = (await firstStep(service().client(), email)).body
    const { client, token } = await newMember(service())
    const answer = await client.post(`${TWO_FACTOR}/verify-totp`, { code: app.codeAt(now()), twoFactorToken })
    assert.equal(answer.body.user.email, email)
    const asBearer = { headers: { authorization: `Bearer ${token}` } }
    assert.equal((await service().client().get('/api/auth/get-session', asBearer)).body, null)
  })

  test('A sixth mailed code in an hour is refused with the time to wait', async () => {
    const user = await newMember(service())
    await enableEmailCodes(service(), user)
    const send = () => user.client.post(`${TWO_FACTOR}/send-otp`, {})
    for (let count = 0; count < 5; count++) assert.equal((await send()).status, 200)
    const refused = await send()
    assert.deepEqual([refused.status, refused.body.code], [429, 'TOO_MANY_REQUESTS'])
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
  })

  test('A user of an authenticator app gets no code by email', async () => {
    const { email } = await appUser()
    const client = service().client()
    await firstStep(client, email)
    const answer = await client.post(`${TWO_FACTOR}/send-otp`, {})
    assert.deepEqual([answer.status, answer.body.code], [400, 'OTP_NOT_ENABLED'])
  })

  test('A second step that is only being set up finishes no sign-in and is not asked for', async () => {
    const { email, client } = await newMember(service())
    const setup = await client.post(`${TWO_FACTOR}/enable`, { password: PASSWORD })
    const other = service().client()
    const answer = await firstStep(other, email)
    assert.ok(answer.body.token)
    const { app } = { app: appOfUri(setup.body.totpURI) }
    const code = app.codeAt(now())
    const forged = await service()
      .client()
      .post(`${TWO_FACTOR}/verify-totp`, { code, twoFactorToken: 'x'.repeat(43) })
    assert.deepEqual([forged.status, forged.body.code], [401, 'INVALID_TWO_FACTOR_COOKIE'])
  })

  test('A user whose second step is lost from the database does not sign in with the password alone', async () => {
    const { id, email } = await appUser()
    await service().context.database.deleteFrom('secondSteps').where('userId', '=', id).execute()
    const { twoFactorToken, ...rest } = (await firstStep(service().client(), email)).body
    assert.deepEqual(rest, { twoFactorRedirect: true, twoFactorMethods: [] })
    assert.ok(twoFactorToken)
  })

  test('A process without the SECRET of an authenticator app asks to try again, and counts no failure', async () => {
    const user = await newMember(service())
    const { context } = service()
    const keyring = createKeyring('a secret that only another process knows', context.randomBytes)
    const app = await enableTotp({ context: { ...context, keyring } }, user)
    const client = service().client()
    await firstStep(client, user.email)
    const answer = await client.post(`${TWO_FACTOR}/verify-totp`, { code: app.codeAt(now()) })
    assert.deepEqual([answer.status, answer.body.code], [503, 'SERVICE_UNAVAILABLE'])
    assert.equal(answer.headers.get('retry-after'), '2')
    assert.equal(await findFailures(context.database, user.id), undefined)
  })

  test('A challenge ends when the user signs out everywhere, and after 10 minutes', async () => {
    const { email, client, app } = await appUser()
    const challenge = async () => (await firstStep(service().client(), email)).body.twoFactorToken
    const isOver = async (twoFactorToken: string) => {
      const body = { code: app.codeAt(now()), twoFactorToken }
      return (await service().client().post(`${TWO_FACTOR}/verify-totp`, body)).body.code
    }
    const first = await challenge()
    assert.equal((await client.post('/api/auth/revoke-sessions', {})).status, 200)
    assert.equal(await isOver(first), 'INVALID_TWO_FACTOR_COOKIE')
    const expired = await challenge()
    service().advance(10 * 60_000)
    assert.equal(await isOver(expired), 'INVALID_TWO_FACTOR_COOKIE')
  })
})
