import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { linkNewEvents } from '../../server/core/audit/chain.ts'
import { verifyChain } from '../../server/core/audit/verify-chain.ts'
import { createBanExpiry } from '../../server/features/staff/bans/lift-expired-bans.ts'
import { rotateSigningKey } from '../../server/features/tokens/rotate-signing-key.ts'
import { createMaintenance } from '../../server/maintenance.ts'
import { TRUSTED_DEVICE_COOKIE } from '../../server/platform/http/cookies.ts'
import { leaseEmail } from '../../server/platform/mail/lease-email.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../server/platform/time/time-units.ts'
import { bearerClient } from '../support/bearer-client.ts'
import type { Client } from '../support/client.ts'
import { authorizationRequest, codeIn, createTestApp, signInTo } from '../support/openid.ts'
import { askToken, basic, interactionIn, newCodeForm, postForm, signInOnPage } from '../support/protocol.ts'
import { type Service, startService } from '../support/service.ts'
import { mintToken, verifyToken } from '../support/service-tokens.ts'
import { enableEmailCodes, enableTotp, firstStep } from '../support/two-step.ts'
import { until } from '../support/until.ts'
import {
  administratorWithOrganization,
  invite,
  member,
  newMember,
  PASSWORD,
  signedIn,
  tokenIn,
} from '../support/users.ts'

const YEAR = 365 * DAY_MILLISECONDS

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`The clock (${engine})`, () => {
    test('After the clock goes back an hour, old tokens verify and new tokens are signed, also after a restart', async (t) => {
      const service = await startService({ engine })
      t.after(() => service.stop())
      const user = await administratorWithOrganization(service)
      const before = await mintToken(service, user)
      service.advance(-HOUR_MILLISECONDS)
      await verifyToken(service, await mintToken(service, user), HOUR_MILLISECONDS)
      await verifyToken(service, before)
      const restarted = await startService({ engine, beside: service })
      t.after(() => restarted.stop())
      restarted.advance(-HOUR_MILLISECONDS)
      await verifyToken(restarted, await mintToken(restarted, user), HOUR_MILLISECONDS)
      service.advance(HOUR_MILLISECONDS)
      await verifyToken(service, before)
    })

    test('After the correction of a clock that was a year ahead at the first start, tokens verify and keys rotate within ten minutes', async (t) => {
      const service = await startService({ engine, clockAheadMilliseconds: YEAR })
      t.after(() => service.stop())
      const user = await administratorWithOrganization(service)
      const early = await mintToken(service, user)
      await rotateSigningKey(service.context)
      service.advance(-YEAR)
      await verifyToken(service, early)
      const corrected = await mintToken(service, user)
      await verifyToken(service, corrected)
      const { isNew, next } = await rotateSigningKey(service.context)
      assert.equal(isNew, true)
      assert.equal((await rotateSigningKey(service.context)).next.id, next.id)
      assert.ok(next.activeAt <= service.context.now() + 600_000)
      service.advance(next.activeAt - service.context.now())
      const token = await mintToken(service, user)
      await verifyToken(service, token)
      assert.equal(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid, next.id)
      await verifyToken(service, corrected)
      // A year later, the clock shows the time of the first start again. The newest key still signs.
      service.advance(YEAR)
      const { token: session } = await signedIn(service, user.email)
      await verifyToken(service, await mintToken(service, { ...user, token: session }))
    })

    test('After the correction of a clock that was a year ahead, its links no longer work', async (t) => {
      const service = await startService({ engine })
      t.after(() => service.stop())
      const { email } = await administratorWithOrganization(service)
      const request = () => service.client().post('/api/auth/request-password-reset', { email })
      const reset = async () => {
        const body = { token: await tokenIn(service, email), newPassword: 'quiet amber violin tortoise' }
        return (await service.client().post('/api/auth/reset-password', body)).body
      }
      service.advance(YEAR)
      await request()
      service.advance(-YEAR)
      assert.equal((await reset()).code, 'INVALID_TOKEN')
    })

    test('After the correction of a clock that was a year ahead, its codes for apps no longer work, and its refresh tokens do', async (t) => {
      const service = await startService({ engine, clockAheadMilliseconds: YEAR })
      t.after(() => service.stop())
      const user = await newMember(service)
      const app = await createTestApp(service)
      const { refresh_token = '' } = await signInTo(user, app)
      const code = await newCodeForm(user, app)
      const askForDevice = async () =>
        (await postForm(service, '/api/auth/device/code', { scope: 'openid' }, basic(app))).body
      const [approved, pending] = [await askForDevice(), await askForDevice()]
      const approve = ({ user_code: userCode }: typeof approved) =>
        user.client.post('/api/auth/device/approve', { userCode })
      assert.equal((await approve(approved)).status, 200)
      const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
      const poll = ({ device_code }: typeof approved) => askToken(service, app, { grant_type, device_code })
      service.advance(-YEAR)
      assert.equal((await askToken(service, app, code)).body.error, 'invalid_grant')
      assert.equal((await poll(approved)).body.error, 'invalid_grant')
      assert.equal((await approve(pending)).body.code, 'DEVICE_CODE_NOT_FOUND')
      assert.equal((await askToken(service, app, { grant_type: 'refresh_token', refresh_token })).status, 200)
      assert.equal((await askToken(service, app, await newCodeForm(user, app))).status, 200)
      const device = await askForDevice()
      assert.equal((await approve(device)).status, 200)
      assert.equal((await poll(device)).status, 200)
    })

    test('After the correction of a clock that was a year ahead, sessions stay live and are not fresh', async (t) => {
      const service = await startService({ engine, clockAheadMilliseconds: YEAR })
      t.after(() => service.stop())
      const user = await administratorWithOrganization(service)
      service.advance(-YEAR)
      const asked = bearerClient(service, user)
      assert.equal((await asked.post('/api/auth/api-key/create', { name: 'x' })).body.code, 'SESSION_NOT_FRESH')
      await verifyToken(service, await mintToken(service, user))
    })

    test('After the correction of a clock that was a year ahead, its invitations have expired', async (t) => {
      const service = await startService({ engine, clockAheadMilliseconds: YEAR })
      t.after(() => service.stop())
      const founder = await administratorWithOrganization(service)
      const { email, linkPath } = await invite(service, founder)
      service.advance(-YEAR)
      const body = { name: 'Hilda Hire', email, password: PASSWORD, invitation: linkPath.split('/').at(-1) }
      const signUp = await service.client().post('/api/auth/sign-up/email', body)
      assert.deepEqual([signUp.status, signUp.body.code], [400, 'INVITATION_EXPIRED'])
      const { client, organization } = founder
      const again = { email, role: 'member', organizationId: organization.id }
      const results = []
      for (let count = 0; count < 2; count += 1) {
        const { status, body } = await client.post('/api/auth/organization/invite-member', again)
        results.push(body.code ?? status)
      }
      assert.deepEqual(results, [200, 'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION'])
      const path = '/api/auth/admin/list-invitations?status='
      const statuses = ['pending', 'expired'].map(async (status) => (await client.get(path + status)).body.total)
      assert.deepEqual(await Promise.all(statuses), [1, 1])
    })

    test('After the correction of a clock that was a year ahead, prompt=login and max_age need a new session', async (t) => {
      const service = await startService({ engine, clockAheadMilliseconds: YEAR })
      t.after(() => service.stop())
      const founder = await administratorWithOrganization(service)
      const app = await createTestApp(service)
      for (const parameters of [{ prompt: 'login' }, { max_age: '3600' }]) {
        const user = await member(service, founder)
        const authorize = async () => user.client.get((await authorizationRequest(app, parameters)).path)
        service.advance(-YEAR)
        const { resumePath } = interactionIn(await authorize(), '/sign-in')
        const unchanged = await user.client.get(resumePath)
        assert.ok(codeIn(await signInOnPage(user.client, unchanged, user)))
        service.advance(YEAR)
      }
    })

    test('After the correction of a clock that was a year ahead, emails are sent despite their due times and the limits', async (t) => {
      const service = await startService({ engine, clockAheadMilliseconds: YEAR })
      t.after(() => service.stop())
      const { email } = await administratorWithOrganization(service)
      const requestReset = () => service.client().post('/api/auth/request-password-reset', { email })
      for (let count = 0; count < 6; count += 1) assert.equal((await requestReset()).status, 200)
      assert.equal((await service.emails(email)).length, 5)
      service.advance(-YEAR)
      assert.equal((await requestReset()).status, 200)
      assert.equal((await service.emails(email)).length, 6)
      const { database } = service.context
      const waiting = await database.selectFrom('outbox').select('id').where('recipient', '=', email).execute()
      const leased = await Promise.all(waiting.map(() => leaseEmail(service.context)))
      assert.equal(leased.filter((one) => one !== undefined).length, 6)
    })

    test('After the correction of a clock that was a year ahead, the audit chain contains every audit event', async (t) => {
      const service = await startService({ engine, clockAheadMilliseconds: YEAR })
      t.after(() => service.stop())
      const { email } = await administratorWithOrganization(service)
      const guess = () => service.client().post('/api/auth/sign-in/email', { email, password: 'not the password' })
      assert.equal((await guess()).status, 401)
      await service.context.repeatedEvents.save()
      service.advance(-YEAR)
      assert.equal((await guess()).status, 401)
      await service.context.repeatedEvents.save()
      service.advance(HOUR_MILLISECONDS)
      await linkNewEvents(service.context)
      const { unlinkedCount, problem } = await verifyChain(service.context, undefined, () => {})
      assert.deepEqual([unlinkedCount, problem], [0, undefined])
    })

    test('After the correction of a clock that was a year ahead, no second step is locked and no device is trusted for longer', async (t) => {
      const service = await startService({ engine, clockAheadMilliseconds: YEAR })
      t.after(() => service.stop())
      const [user, locked] = [await newMember(service), await newMember(service)]
      const [app, other] = [await enableTotp(service, user), await enableTotp(service, locked)]
      const secondStep = async (client: Client, email: string, code: string) => {
        await firstStep(client, email)
        return (await client.post('/api/auth/two-factor/verify-totp', { code, trustDevice: true })).status
      }
      const browser = service.client()
      assert.equal(await secondStep(browser, user.email, app.codeAt(service.context.now())), 200)
      for (let guess = 0; guess < 10; guess++) await secondStep(service.client(), locked.email, 'wrong')
      assert.equal(await secondStep(service.client(), locked.email, 'wrong'), 429)
      service.advance(-YEAR)
      assert.equal((await firstStep(browser, user.email)).body.twoFactorRedirect, true)
      const code = app.codeAt(service.context.now())
      assert.equal(await secondStep(browser, user.email, code), 200)
      assert.equal(await secondStep(service.client(), user.email, code), 401)
      assert.equal(await secondStep(service.client(), locked.email, other.codeAt(service.context.now())), 200)
    })

    test('A clock that goes back an hour makes no used code of an authenticator app usable', async (t) => {
      const service = await startService({ engine })
      t.after(() => service.stop())
      const user = await newMember(service)
      const app = await enableTotp(service, user)
      const verify = async (path: string, code: string | undefined) => {
        const { twoFactorToken } = (await firstStep(service.client(), user.email)).body
        return (await service.client().post(`/api/auth/two-factor/${path}`, { code, twoFactorToken })).status
      }
      const code = app.codeAt(service.context.now())
      assert.equal(await verify('verify-totp', code), 200)
      service.advance(-HOUR_MILLISECONDS)
      assert.equal(await verify('verify-totp', app.codeAt(service.context.now())), 401)
      assert.equal(await verify('verify-backup-code', app.backupCodes[0]), 200)
      service.advance(HOUR_MILLISECONDS)
      assert.equal(await verify('verify-totp', code), 401)
    })

    test('After a key rotation with a clock that was set back, old tokens verify once the clock is corrected', async (t) => {
      const service = await startService({ engine })
      t.after(() => service.stop())
      const user = await administratorWithOrganization(service)
      const before = await mintToken(service, user)
      service.advance(-HOUR_MILLISECONDS)
      await rotateSigningKey(service.context)
      const during = await mintToken(service, user)
      service.advance(HOUR_MILLISECONDS)
      await verifyToken(service, before)
      await verifyToken(service, during, HOUR_MILLISECONDS)
      await verifyToken(service, await mintToken(service, user))
    })
  })
}

test('A process whose clock is ahead of PostgreSQL deletes nothing and lifts no ban, until its clock is right', async (t) => {
  const lines: string[] = []
  const service = await startService({
    engine: 'postgres',
    environment: { AUDIT_RETENTION_DAYS: '30' },
    onLog: (line) => lines.push(line),
  })
  t.after(() => service.stop())
  const { context } = service
  const { database } = context
  const { email } = await administratorWithOrganization(service)
  await linkNewEvents(context)
  const setBanExpires = (banExpires: number) =>
    database.updateTable('users').set({ banned: 1, banExpires }).where('email', '=', email).execute()
  const facts = async () => ({
    banned: await database.selectFrom('users').select('banned').where('email', '=', email).executeTakeFirst(),
    sessions: await database.selectFrom('sessions').select('id').orderBy('id').execute(),
    events: await database.selectFrom('auditEvents').select('id').orderBy('id').execute(),
  })
  const countWarnings = () => lines.filter((line) => line.includes('ahead of that of PostgreSQL')).length
  await setBanExpires(context.now() + HOUR_MILLISECONDS)
  const before = await facts()
  assert.ok(before.sessions.length > 0 && before.events.length > 0)

  service.advance(YEAR)
  for (const [count, work] of [createMaintenance(context), createBanExpiry(context)].entries()) {
    work.start()
    await until(() => countWarnings() > count, 'the process says so').finally(work.stop)
  }
  assert.deepEqual(await facts(), before)
  service.advance(-YEAR)
  await setBanExpires(context.now() - HOUR_MILLISECONDS)
  const banExpiry = createBanExpiry(context)
  banExpiry.start()
  await until(async () => (await facts()).banned?.banned === 0, 'the ban is lifted').finally(banExpiry.stop)
})

test('Processes whose clocks differ by seconds lock a second step together, and accept the mailed codes of each other', async (t) => {
  const ahead = await startService({ engine: 'postgres', clockAheadMilliseconds: 5_000 })
  t.after(() => ahead.stop())
  const behind = await startService({ engine: 'postgres', beside: ahead })
  t.after(() => behind.stop())
  const hire = await administratorWithOrganization(ahead)
  const [user, mailed] = [await member(ahead, hire), await member(ahead, hire)]
  const app = await enableTotp(ahead, user)
  await enableEmailCodes(ahead, mailed)
  const challenge = async (email: string) => (await firstStep(ahead.client(), email)).body.twoFactorToken
  const verify = async (at: Service, path: string, body: object) =>
    (await at.client().post(`/api/auth/two-factor/${path}`, body)).status

  const twoFactorToken = await challenge(mailed.email)
  assert.equal(await verify(ahead, 'send-otp', { twoFactorToken }), 200)
  const code = (await ahead.emails(mailed.email))[0]?.text.match(/\b\d{6}\b/)?.[0]
  assert.equal(await verify(behind, 'verify-otp', { code, twoFactorToken }), 200)

  const guess = async (at: Service, text: string) =>
    verify(at, 'verify-totp', { code: text, twoFactorToken: await challenge(user.email) })
  for (const at of Array(5).fill([ahead, behind]).flat()) assert.equal(await guess(at, 'wrong'), 401)
  assert.equal(await guess(behind, app.codeAt(behind.context.now())), 429)
  assert.equal(await guess(ahead, app.codeAt(ahead.context.now())), 429)
})

test('Processes whose clocks differ by two minutes trust the devices of each other, and begin one rotation', async (t) => {
  const ahead = await startService({ engine: 'postgres', clockAheadMilliseconds: 120_000 })
  t.after(() => ahead.stop())
  const behind = await startService({ engine: 'postgres', beside: ahead })
  t.after(() => behind.stop())
  const user = await newMember(ahead)
  const app = await enableTotp(ahead, user)
  const [browser, same] = [ahead.client(), behind.client()]
  await firstStep(browser, user.email)
  const body = { code: app.codeAt(ahead.context.now()), trustDevice: true }
  assert.equal((await browser.post('/api/auth/two-factor/verify-totp', body)).status, 200)
  same.cookies.set(TRUSTED_DEVICE_COOKIE, browser.cookies.get(TRUSTED_DEVICE_COOKIE) ?? '')
  assert.ok((await firstStep(same, user.email)).body.token)

  const { next } = await rotateSigningKey(ahead.context)
  const { next: found, isNew } = await rotateSigningKey(behind.context)
  assert.deepEqual([found.id, isNew], [next.id, false])
})
