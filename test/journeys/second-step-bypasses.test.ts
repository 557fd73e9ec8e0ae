import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSecondStepChallenge } from '../../server/core/two-step/challenge.ts'
import { addPasskey, tryToSignIn } from '../support/passkeys.ts'
import { onEachDatabase } from '../support/service.ts'
import { appOfUri, enableEmailCodes, firstStep, userWithTotp } from '../support/two-step.ts'
import { administrator, newEmail, newMember, PASSWORD, type TestUser, tokenIn } from '../support/users.ts'

const TWO_FACTOR = '/api/auth/two-factor'
const NEW_PASSWORD = 'another fine long password'
const STEP = 30_000

/** An attacker knows the password of a victim and tries to get past the second step, as published for other systems. */
onEachDatabase('Bypasses of the second step', (service) => {
  const now = () => service().context.now()
  const appUser = () => userWithTotp(service())
  const mailUser = async () => {
    const user = await newMember(service())
    return { ...user, ...(await enableEmailCodes(service(), user)) }
  }
  /** The challenge that the first step creates, without the 25 ms of its password hash. */
  const challengeOf = ({ id }: Pick<TestUser, 'id'>): Promise<string> =>
    createSecondStepChallenge(service().context.database, service().context, id, { rememberMe: true })
  const verify = async (path: string, body: object, client = service().client()) => {
    const answer = await client.post(`${TWO_FACTOR}/${path}`, body)
    return answer.body.code ?? answer.status
  }
  const mailedCode = async ({ email }: Pick<TestUser, 'email'>) =>
    (await service().emails(email))[0]?.text.match(/\b\d{6}\b/)?.[0] ?? 'no code'
  const sessionCount = async ({ id }: Pick<TestUser, 'id'>) => {
    const { database } = service().context
    return (await database.selectFrom('sessions').select('id').where('userId', '=', id).execute()).length
  }

  test('CVE-2025-64175, CVE-2026-78619: an app, a recovery code and a mailed code of another user open nothing', async () => {
    const [victim, mailVictim] = [await appUser(), await mailUser()]
    const [attacker, mailAttacker] = [await appUser(), await mailUser()]
    const twoFactorToken = await challengeOf(victim)
    const code = attacker.app.codeAt(now())
    assert.equal(await verify('verify-totp', { code, twoFactorToken }), 'INVALID_CODE')
    for (const [path, of] of [
      ['verify-backup-code', attacker.app],
      ['verify-backup-code', mailAttacker],
    ] as const)
      assert.equal(await verify(path, { code: of.backupCodes[0], twoFactorToken }), 'INVALID_BACKUP_CODE')
    await verify('send-otp', {}, mailAttacker.client)
    const [waiting, ownWaiting] = [await challengeOf(mailVictim), await challengeOf(mailAttacker)]
    await verify('send-otp', { twoFactorToken: waiting })
    await verify('send-otp', { twoFactorToken: ownWaiting })
    const mailed = { code: await mailedCode(mailAttacker) }
    assert.equal(await verify('verify-otp', { ...mailed, twoFactorToken: waiting }), 'INVALID_CODE')
    assert.equal(await verify('verify-otp', { ...mailed, twoFactorToken: ownWaiting }), 200)
    assert.equal(await verify('verify-backup-code', { code: attacker.app.backupCodes[0] }, attacker.client), 200)
  })

  test("authy-devise #58, GHSA-h6mp-mc7g-mg49: the trust of a device is for one user, and can't be invented", async () => {
    const [victim, attacker] = [await appUser(), await appUser()]
    const client = service().client()
    await firstStep(client, attacker.email)
    await verify('verify-totp', { code: attacker.app.codeAt(now()), trustDevice: true }, client)
    const own = client.cookies.get('trusted-device') ?? ''
    assert.equal((await firstStep(client, victim.email)).body.twoFactorRedirect, true)
    const payload = Buffer.from(JSON.stringify({ usr: victim.id, vld: now() + 86_400_000 })).toString('base64url')
    for (const token of [`eyJhbGciOiJub25lIn0.${payload}.`, 'x'.repeat(43), `${own}.${victim.id}`, victim.id, own]) {
      const { body } = await firstStep(service().client(), victim.email, { trustDeviceToken: token })
      assert.equal(body.token, undefined, token)
    }
    assert.equal(await sessionCount(victim), 1)
  })

  test('CVE-2026-9047, scheb/2fa #126: after a new setup, app, recovery codes and trust of the former one are refused', async () => {
    const user = await appUser()
    const trusting = service().client()
    await firstStep(trusting, user.email)
    await verify('verify-totp', { code: user.app.codeAt(now()), trustDevice: true }, trusting)
    const [trust, code] = [trusting.cookies.get('trusted-device') ?? '', user.app.codeAt(now() + STEP)]
    assert.equal(await verify('disable', { password: PASSWORD }, user.client), 200)
    const setup = await user.client.post(`${TWO_FACTOR}/enable`, { password: PASSWORD })
    const app = appOfUri(setup.body.totpURI)
    assert.equal(await verify('verify-totp', { code: app.codeAt(now()) }, user.client), 200)
    trusting.cookies.set('trusted-device', trust)
    assert.equal((await firstStep(trusting, user.email)).body.twoFactorRedirect, true)
    const twoFactorToken = await challengeOf(user)
    assert.equal(await verify('verify-totp', { code, twoFactorToken }), 'INVALID_CODE')
    const recovery = { code: user.app.backupCodes[0], twoFactorToken }
    assert.equal(await verify('verify-backup-code', recovery), 'INVALID_BACKUP_CODE')
    assert.equal(await verify('verify-totp', { code: app.codeAt(now() + STEP), twoFactorToken }), 200)
  })

  test('CVE-2024-32868, CVE-2025-64102, CVE-2026-103977: new sign-ins, networks and kinds of code do not restart the count of guesses', async () => {
    const user = await mailUser()
    const early = await challengeOf(user)
    for (let guess = 0; guess < 10; guess++) {
      const client = service().client()
      await firstStep(client, user.email)
      if (guess % 2 === 0) assert.equal(await verify('send-otp', {}, client), 200)
      assert.match(
        await verify(guess % 2 === 0 ? 'verify-otp' : 'verify-backup-code', { code: 'wrong' }, client),
        /^INVALID_/,
      )
    }
    // CVE-2026-16103: the lock also stops a sign-in that began before it.
    for (const twoFactorToken of [early, await challengeOf(user)])
      for (const [path, code] of [
        ['verify-otp', await mailedCode(user)],
        ['verify-backup-code', user.backupCodes[0]],
      ] as const)
        assert.equal(await verify(path, { code, twoFactorToken }), 'ACCOUNT_TEMPORARILY_LOCKED')
    assert.equal(await verify('send-otp', { twoFactorToken: early }), 'ACCOUNT_TEMPORARILY_LOCKED')
    assert.equal(await sessionCount(user), 1)
    // Keycloak #26177: the sign-in ends before the lock does.
    service().advance(15 * 60_000)
    const late = { code: user.backupCodes[0], twoFactorToken: early }
    assert.equal(await verify('verify-backup-code', late), 'INVALID_TWO_FACTOR_COOKIE')
  })

  test('A session of one user and the challenge of another are never mixed', async () => {
    const [victim, attacker] = [await appUser(), await appUser()]
    const { client } = attacker
    const twoFactorToken = await challengeOf(victim)
    client.cookies.set('two-factor', twoFactorToken)
    // The session takes precedence over the cookie, and the token in the body over the session.
    assert.equal(await verify('verify-totp', { code: victim.app.codeAt(now()) }, client), 'INVALID_CODE')
    const code = attacker.app.codeAt(now())
    assert.equal(await verify('verify-totp', { code, twoFactorToken }, client), 'INVALID_CODE')
    const stepUp = await client.post(`${TWO_FACTOR}/verify-totp`, { code })
    assert.equal(stepUp.body.user.email, attacker.email)
    assert.equal(await sessionCount(victim), 1)
    assert.equal(await verify('verify-totp', { code: victim.app.codeAt(now()), twoFactorToken }), 200)
  })

  test('GHSA-5vfx-8w6m-h3v4: tokens of other purposes are no challenge', async () => {
    const user = await appUser()
    await service().client().post('/api/auth/request-password-reset', { email: user.email })
    const reset = await tokenIn(service(), user.email)
    await user.client.post('/api/auth/change-email', { newEmail: newEmail() })
    const tokens = [reset, user.token, user.client.cookies.get('device') ?? user.id, user.id, '1', '0'.repeat(64)]
    for (const twoFactorToken of tokens) {
      const body = { code: user.app.codeAt(now()), twoFactorToken }
      assert.match(await verify('verify-totp', body), /^(INVALID_TWO_FACTOR_COOKIE|VALIDATION_ERROR)$/, twoFactorToken)
      const client = service().client()
      client.cookies.set('two-factor', twoFactorToken)
      assert.equal(await verify('verify-totp', { code: user.app.codeAt(now()) }, client), 'INVALID_TWO_FACTOR_COOKIE')
    }
    assert.equal(
      (await service().client().post('/api/auth/reset-password', { token: reset, newPassword: NEW_PASSWORD })).status,
      200,
    )
  })

  test('A passkey sign-in finishes no other sign-in, and its own user is not asked', async () => {
    const passkeyUser = await addPasskey(service(), await appUser())
    const victim = await appUser()
    const client = service().client()
    await firstStep(client, victim.email)
    const challenge = client.cookies.get('two-factor') ?? ''
    const signedIn = await tryToSignIn(client, passkeyUser.authenticator)
    assert.equal(
      signedIn.body.user?.email ?? (await client.get('/api/auth/get-session')).body.user.email,
      passkeyUser.email,
    )
    assert.equal(await sessionCount(victim), 1)
    const other = service().client()
    other.cookies.set('two-factor', challenge)
    assert.equal((await other.get('/api/auth/get-session')).body, null)
  })

  test('CVE-2026-49448, CVE-2022-45174, GHSA-rmmc-8cqj-hfp3: an empty, partial or odd code is never right', async () => {
    const user = await appUser()
    const code = user.app.codeAt(now())
    const fullWidth = [...code].map((digit) => String.fromCharCode(0xff10 + Number(digit))).join('')
    const arabic = [...code].map((digit) => String.fromCharCode(0x0660 + Number(digit))).join('')
    const odd = ['', ' ', code[0], code.slice(0, 5), `${code}0`, `0${code}`, `+${code}`, `${code}.0`, `${code}\0`]
    const wrong = [...odd, fullWidth, arabic, Number(code), [code], { code }, { $ne: null }, true, null, undefined]
    const bodies = wrong.map((one) => ({ code: one }))
    const skipped = { code: 'wrong', skip: true, verified: true }
    for (const body of [{}, ...bodies, skipped, { ...skipped, method: 'none' }]) {
      for (const path of ['verify-totp', 'verify-backup-code']) {
        const answer = await service()
          .client()
          .post(`${TWO_FACTOR}/${path}`, { ...body, twoFactorToken: await challengeOf(user) })
        assert.ok([400, 401].includes(answer.status), `${path} ${JSON.stringify(body)}: ${answer.status}`)
      }
      // The lock after ten wrong codes would hide what is refused.
      await service().context.database.deleteFrom('secondStepFailures').where('userId', '=', user.id).execute()
    }
    assert.equal(await sessionCount(user), 1)
    assert.equal(await verify('verify-totp', { code, twoFactorToken: await challengeOf(user) }), 200)
  })

  test('CVE-2026-128333: a password reset, a password that staff set and a new email address do not skip the second step', async () => {
    const user = await appUser()
    const admin = await administrator(service())
    const isAsked = async (email: string, password: string) => {
      const client = service().client()
      assert.equal((await firstStep(client, email, { password })).body.twoFactorRedirect, true)
      assert.equal((await client.get('/api/auth/get-session')).body, null)
    }
    const newAddress = newEmail()
    await user.client.post('/api/auth/change-email', { newEmail: newAddress })
    const browser = service().client()
    const changed = await browser.get(`/api/auth/verify-email?token=${await tokenIn(service(), newAddress)}`)
    assert.equal(changed.status, 200)
    await isAsked(newAddress, PASSWORD)
    await browser.post('/api/auth/request-password-reset', { email: newAddress })
    const body = { token: await tokenIn(service(), newAddress), newPassword: NEW_PASSWORD }
    assert.equal((await browser.post('/api/auth/reset-password', body)).status, 200)
    await isAsked(newAddress, NEW_PASSWORD)
    const set = { userId: user.id, newPassword: PASSWORD }
    assert.equal((await admin.client.post('/api/auth/admin/set-user-password', set)).status, 200)
    await isAsked(newAddress, PASSWORD)
    assert.equal((await browser.get('/api/auth/get-session')).body, null)
  })

  test('Staff who impersonate a user see, set up, use and remove no second step', async () => {
    const user = await appUser()
    const admin = await administrator(service())
    const impersonated = await admin.client.post('/api/auth/admin/impersonate-user', { userId: user.id })
    assert.equal(impersonated.status, 200, JSON.stringify(impersonated.body))
    const twoFactorToken = await challengeOf(user)
    const code = user.app.codeAt(now())
    const password = PASSWORD
    for (const [path, body] of Object.entries({
      enable: { password },
      disable: { password },
      'get-totp-uri': { password },
      'generate-backup-codes': { password },
      'verify-totp': { code },
      'verify-backup-code': { code: user.app.backupCodes[0], twoFactorToken },
      'send-otp': { twoFactorToken },
      'revoke-trusted-device': { id: 'tru_x' },
    })) {
      const answer = await admin.client.post(`${TWO_FACTOR}/${path}`, body)
      assert.deepEqual([path, answer.status], [path, 403])
    }
    for (const path of ['get-status', 'list-trusted-devices'])
      assert.equal((await admin.client.get(`${TWO_FACTOR}/${path}`)).status, 403)
    assert.equal(await verify('verify-totp', { code, twoFactorToken }), 200)
  })

  test('CVE-2025-66489: without the right password, nothing tells whether a user has a second step, and no code helps', async () => {
    const [user, plain] = [await appUser(), await newMember(service())]
    const guess = async (email: string, more = {}) => {
      const { status, headers, body } = await firstStep(service().client(), email, { password: 'wrong', ...more })
      const names = [...headers.keys()].filter((name) => name !== 'x-request-id').sort()
      return { status, body, names, cookies: headers.getSetCookie() }
    }
    const ofPlain = await guess(plain.email)
    assert.equal(ofPlain.status, 401)
    assert.deepEqual(await guess(user.email), ofPlain)
    assert.deepEqual(await guess(newEmail()), ofPlain)
    const code = user.app.codeAt(now())
    for (const more of [{ code }, { totpCode: code }, { trustDeviceToken: 'x'.repeat(43) }, { password: '', code }])
      assert.ok((await guess(user.email, more)).status >= 400)
    assert.equal(await sessionCount(user), 1)
  })
})
