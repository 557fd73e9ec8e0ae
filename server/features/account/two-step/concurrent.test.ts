import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearerClient } from '../../../../test/support/bearer-client.ts'
import type { Answer } from '../../../../test/support/client.ts'
import { secondProcess } from '../../../../test/support/second-process.ts'
import { onEachDatabase, type Service } from '../../../../test/support/service.ts'
import { appOfUri, enableEmailCodes, firstStep, userWithTotp } from '../../../../test/support/two-step.ts'
import { newMember, PASSWORD, signedIn, type TestUser } from '../../../../test/support/users.ts'
import { createSecondStepChallenge } from '../../../core/two-step/challenge.ts'

const TWO_FACTOR = '/api/auth/two-factor'
const COUNT = 20
const WRONG = 'wrong'
const STEP = 30_000
/** PostgreSQL's error code, which the log has with the 503. */
const DEADLOCK = '40P01'

/** Requests alternate between two services on one database, as behind a load balancer. */
onEachDatabase('Concurrent second steps', (service) => {
  const now = () => service().context.now()
  let log = ''
  const getSecond = secondProcess(service, (line) => {
    log += line
  })
  const appUser = () => userWithTotp(service())
  /** The challenge that the first step creates, without its 25 ms of password hashing. */
  const challengeOf = ({ id }: Pick<TestUser, 'id'>): Promise<string> =>
    createSecondStepChallenge(service().context.database, service().context, id, { rememberMe: true })
  /** On a busy machine a lock may time out, and the client tries again. */
  const untilAvailable = async (send: () => Promise<Answer>): Promise<Answer> => {
    const answer = await send()
    assert.ok(!log.includes(DEADLOCK))
    return answer.status === 503 ? untilAvailable(send) : answer
  }
  /** @returns how often each result came: a status below 300, or an error code */
  const countResults = async (send: (at: Service, index: number) => Promise<Answer>) => {
    const services = [service(), await getSecond()]
    const requests = Array.from({ length: COUNT }, (_, index) =>
      untilAvailable(() => send(services[index % 2] ?? service(), index)),
    )
    const counts: Record<string, number> = {}
    for (const { status, body } of await Promise.all(requests)) {
      const result = status < 300 ? status : body.code
      counts[result] = (counts[result] ?? 0) + 1
    }
    return counts
  }
  const withToken = (at: Service, path: string, body: object) => at.client().post(`${TWO_FACTOR}/${path}`, body)
  const countRows = async (table: 'sessions' | 'recoveryCodes', userId: string) =>
    (await service().context.database.selectFrom(table).select('userId').where('userId', '=', userId).execute()).length
  const failuresOf = async (userId: string) => {
    const { database } = service().context
    const failures = database.selectFrom('secondStepFailures').select('count').where('userId', '=', userId)
    return (await failures.executeTakeFirst())?.count
  }

  test('CVE-2026-20779: of 20 concurrent uses of one code with one challenge, one signs in', async () => {
    const user = await appUser()
    const twoFactorToken = await challengeOf(user)
    const code = user.app.codeAt(now())
    const results = await countResults((at) => withToken(at, 'verify-totp', { code, twoFactorToken }))
    assert.deepEqual(results, { 200: 1, INVALID_TWO_FACTOR_COOKIE: COUNT - 1 })
    assert.equal(await countRows('sessions', user.id), 2)
  })

  test('CVE-2026-20779: of 20 concurrent uses of one code with 20 challenges, one signs in', async () => {
    const user = await appUser()
    const tokens = await Promise.all(Array.from({ length: COUNT }, () => challengeOf(user)))
    const code = user.app.codeAt(now())
    const results = await countResults((at, index) =>
      withToken(at, 'verify-totp', { code, twoFactorToken: tokens[index] }),
    )
    assert.deepEqual(results, { 200: 1, INVALID_CODE: COUNT - 1 })
    assert.equal(await failuresOf(user.id), undefined)
  })

  test('Of 20 concurrent uses of one code with one session, one makes the session fresh', async () => {
    const user = await appUser()
    const code = user.app.codeAt(now())
    const results = await countResults((at) => bearerClient(at, user).post(`${TWO_FACTOR}/verify-totp`, { code }))
    // The successful request replaces the session token, so a later request is refused with UNAUTHORIZED.
    const { 200: winners, INVALID_CODE = 0, UNAUTHORIZED = 0, INVALID_TWO_FACTOR_COOKIE = 0, ...others } = results
    assert.deepEqual([winners, others], [1, {}])
    assert.equal(INVALID_CODE + UNAUTHORIZED + INVALID_TWO_FACTOR_COOKIE, COUNT - 1)
    assert.equal(await countRows('sessions', user.id), 1)
  })

  test('Of 20 concurrent uses of one recovery code with 20 challenges, one signs in', async () => {
    const user = await appUser()
    const tokens = await Promise.all(Array.from({ length: COUNT }, () => challengeOf(user)))
    const code = user.app.backupCodes[0]
    const results = await countResults((at, index) =>
      withToken(at, 'verify-backup-code', { code, twoFactorToken: tokens[index] }),
    )
    // Each other request counts as a wrong recovery code, and ten wrong codes lock the second step.
    assert.deepEqual(results, { 200: 1, INVALID_BACKUP_CODE: 10, ACCOUNT_TEMPORARILY_LOCKED: COUNT - 11 })
    assert.equal(await countRows('recoveryCodes', user.id), 9)
  })

  test('Of 20 concurrent uses of one mailed code, one signs in', async () => {
    const user = await newMember(service())
    await enableEmailCodes(service(), user)
    const twoFactorToken = await challengeOf(user)
    await withToken(service(), 'send-otp', { twoFactorToken })
    const code = (await service().emails(user.email))[0]?.text.match(/\b\d{6}\b/)?.[0]
    const results = await countResults((at) => withToken(at, 'verify-otp', { code, twoFactorToken }))
    assert.deepEqual(results, { 200: 1, INVALID_TWO_FACTOR_COOKIE: COUNT - 1 })
  })

  test('Of 20 concurrent wrong codes of one challenge, five are compared', async () => {
    const user = await appUser()
    const twoFactorToken = await challengeOf(user)
    const results = await countResults((at, index) =>
      withToken(at, index % 4 < 2 ? 'verify-totp' : 'verify-backup-code', { code: WRONG, twoFactorToken }),
    )
    const { INVALID_CODE = 0, INVALID_BACKUP_CODE = 0, ...others } = results
    assert.equal(INVALID_CODE + INVALID_BACKUP_CODE, 5)
    assert.deepEqual(others, { TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: COUNT - 5 })
    assert.equal(await failuresOf(user.id), 5)
  })

  test('CVE-2024-32868, CVE-2026-74878: of 20 concurrent wrong codes of many challenges and sessions, ten are compared', async () => {
    const user = await appUser()
    const tokens = await Promise.all(Array.from({ length: COUNT }, () => challengeOf(user)))
    const results = await countResults((at, index) =>
      index % 4 < 2
        ? withToken(at, 'verify-totp', { code: WRONG, twoFactorToken: tokens[index] })
        : bearerClient(at, user).post(`${TWO_FACTOR}/verify-totp`, { code: WRONG }),
    )
    assert.deepEqual(results, { INVALID_CODE: 10, ACCOUNT_TEMPORARILY_LOCKED: COUNT - 10 })
    assert.equal(await failuresOf(user.id), 10)
    const emails = (await service().emails(user.email)).filter(({ subject }) => subject === 'Too many wrong codes')
    assert.equal(emails.length, 1)
  })

  test('Concurrent requests that set up and turn off two-step verification leave all its rows or none', async () => {
    const user = await appUser()
    const body = { password: PASSWORD }
    const app = appOfUri((await user.client.post(`${TWO_FACTOR}/get-totp-uri`, body)).body.totpURI)
    const results = await countResults((at, index) => {
      const client = bearerClient(at, user)
      const requests = [
        () => client.post(`${TWO_FACTOR}/disable`, body),
        () => client.post(`${TWO_FACTOR}/enable`, body),
        () => client.post(`${TWO_FACTOR}/verify-totp`, { code: app.codeAt(now() + STEP) }),
        () => client.post(`${TWO_FACTOR}/generate-backup-codes`, body),
        () => firstStep(at.client(), user.email),
      ]
      return (requests[index % requests.length] ?? firstStep)(at.client(), user.email)
    })
    const expected = ['200', 'UNAUTHORIZED', 'INVALID_TWO_FACTOR_COOKIE', 'INVALID_CODE', 'TOTP_ALREADY_ENABLED']
    expected.push('TWO_FACTOR_NOT_ENABLED', 'TOTP_NOT_ENABLED', 'INVALID_PASSWORD')
    for (const result of Object.keys(results)) assert.ok(expected.includes(result), JSON.stringify(results))
    const { database } = service().context
    const { twoFactorEnabled } = await database
      .selectFrom('users')
      .select('twoFactorEnabled')
      .where('id', '=', user.id)
      .executeTakeFirstOrThrow()
    const steps = await database.selectFrom('secondSteps').selectAll().where('userId', '=', user.id).execute()
    assert.equal(steps.filter(({ verifiedAt }) => verifiedAt !== null).length, twoFactorEnabled)
    assert.equal(await countRows('recoveryCodes', user.id), steps.length * 10)
  })

  test('CVE-2021-45331, CVE-2026-82470, Better Auth #10387: a used code and the ones before it are refused in every process', async () => {
    const user = await appUser()
    const at = now()
    const verify = async (process: Service, time: number) => {
      const body = { code: user.app.codeAt(time), twoFactorToken: await challengeOf(user) }
      return (await withToken(process, 'verify-totp', body)).body.code ?? 'verified'
    }
    const second = await getSecond()
    assert.equal(await verify(service(), at), 'verified')
    for (const process of [second, service()])
      for (const time of [at, at - STEP]) assert.equal(await verify(process, time), 'INVALID_CODE')
    assert.equal(await verify(second, at + STEP), 'verified')
    assert.equal(await verify(service(), at), 'INVALID_CODE')
  })

  test('GHSA-xg6x-h9c9-2m83: two-step verification ends the earlier sessions in every process, which remember them', async () => {
    const user = await newMember(service())
    const earlier = await signedIn(service(), user.email)
    const second = await getSecond()
    const isOpen = async () => (await bearerClient(second, earlier).get('/api/auth/get-session')).body !== null
    assert.equal(await isOpen(), true)
    const { totpURI } = (await user.client.post(`${TWO_FACTOR}/enable`, { password: PASSWORD })).body
    assert.equal(await isOpen(), true)
    const code = appOfUri(totpURI).codeAt(now())
    assert.equal((await user.client.post(`${TWO_FACTOR}/verify-totp`, { code })).status, 200)
    assert.equal(await isOpen(), false)
    assert.equal((await firstStep(second.client(), user.email)).body.twoFactorRedirect, true)
  })

  test('Two users whose second steps replace the session of each other cause no deadlock', async () => {
    const [one, other] = [await appUser(), await appUser()]
    const pairs = [
      { user: one, former: other },
      { user: other, former: one },
    ]
    const second = await getSecond()
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(
        pairs.map(async ({ user, former }) => {
          const client = second.client()
          const twoFactorToken = await challengeOf(user)
          client.cookies.set('session', former.token)
          const body = { code: user.app.codeAt(now()), twoFactorToken }
          return untilAvailable(() => client.post(`${TWO_FACTOR}/verify-totp`, body))
        }),
      )
      assert.ok(!log.includes(DEADLOCK))
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200],
      )
      for (const [index, { user }] of pairs.entries()) user.token = answers[index]?.body.token
      service().advance(STEP)
      await getSecond()
    }
  })
})
