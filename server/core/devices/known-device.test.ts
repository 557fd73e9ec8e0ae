import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, Client } from '../../../test/support/client.ts'
import { newUsers } from '../../../test/support/many-users.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { PASSWORD, signedIn, type TestUser, tokenIn } from '../../../test/support/users.ts'

const NEW_PASSWORD = 'another fine long password'
const LIMIT = 4
const HOUR = 3_600_000
const DAY = 24 * HOUR

onEachDatabase(
  'An attacker who uses up the password budget of an account',
  (service) => {
    const newUser = async (): Promise<TestUser> => signedIn(service(), (await newUsers(service(), 1))[0] ?? '')
    const signIn = (client: Client, email: string, password = PASSWORD) =>
      client.post('/api/auth/sign-in/email', { email, password })
    const lockOut = async (email: string) => {
      for (let count = 0; count < LIMIT; count += 1)
        assert.equal((await signIn(service().client(), email, 'a wrong guess')).status, 401)
      assert.equal((await signIn(service().client(), email)).status, 429)
    }
    const expectOwnBudget = async (guess: () => Promise<Answer>, wrong: number) => {
      for (let count = 0; count < LIMIT; count += 1) assert.equal((await guess()).status, wrong)
      assert.equal((await guess()).status, 429)
    }

    test('An attacker does not lock out a browser that has signed in before, signed out or not', async () => {
      const { client, email } = await newUser()
      await client.post('/api/auth/sign-out')
      await lockOut(email)
      assert.equal((await signIn(client, email)).status, 200)
      await lockOutElsewhere(client)
      assert.equal((await signIn(client, email)).status, 200)
    })

    async function lockOutElsewhere(client: Client): Promise<void> {
      const [other = ''] = await newUsers(service(), 1)
      const stranger = service().client()
      const options = { headers: { 'x-forwarded-for': client.address } }
      for (let count = 0; count < 31; count += 1)
        await stranger.post('/api/auth/sign-in/email', { email: `${count}${other}`, password: 'x' }, options)
      const body = { email: other, password: PASSWORD }
      assert.equal((await stranger.post('/api/auth/sign-in/email', body, options)).status, 429)
    }

    test('An attacker does not lock out a session that asks for the password', async () => {
      const { client, email } = await newUser()
      await lockOut(email)
      assert.equal((await client.post('/api/auth/verify-password', { password: PASSWORD })).status, 200)
      const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
      assert.equal((await client.post('/api/auth/change-password', change)).status, 200)
      assert.equal((await client.post('/api/auth/delete-user', { password: NEW_PASSWORD })).status, 200)
    })

    const resetPassword = async (client: Client, email: string) => {
      await client.post('/api/auth/request-password-reset', { email })
      const reset = { newPassword: NEW_PASSWORD, token: await tokenIn(service(), email) }
      assert.equal((await client.post('/api/auth/reset-password', reset)).status, 200)
    }

    test('An attacker does not lock out a browser that has just reset the password, nor one of before the reset', async () => {
      const { client: former, email } = await newUser()
      const client = service().client()
      await lockOut(email)
      await resetPassword(client, email)
      assert.equal((await signIn(former, email, NEW_PASSWORD)).status, 200)
      assert.equal((await signIn(client, email, NEW_PASSWORD)).status, 200)
      assert.equal((await signIn(service().client(), email, NEW_PASSWORD)).status, 429)
    })

    test('An attacker does not lock out a client without cookies in the network of a completed password reset', async () => {
      const { email } = await newUser()
      const client = service().client()
      await lockOut(email)
      await resetPassword(client, email)
      const sameNetwork = { headers: { 'x-forwarded-for': client.address } }
      const body = { email, password: NEW_PASSWORD }
      const { status } = await service().client().post('/api/auth/sign-in/email', body, sameNetwork)
      assert.equal(status, 200)
    })

    test('A network that is refused for wrong guesses does not learn whose password was reset in it', async () => {
      const { email } = await newUser()
      const client = service().client()
      await resetPassword(client, email)
      const [neighbor, options] = [service().client(), { headers: { 'x-forwarded-for': client.address } }]
      const guess = (address: string) =>
        neighbor.post('/api/auth/sign-in/email', { email: address, password: 'a wrong guess' }, options)
      for (let count = 0; count < 30; count += 1) assert.equal((await guess(`${count}${email}`)).status, 401)
      assert.equal((await guess(`unknown${email}`)).status, 429)
      assert.equal((await guess(email)).status, 429)
    })

    test('A stolen device cookie grants only the budget of that device', async () => {
      const { client, email } = await newUser()
      const thief = service().client()
      thief.cookies.set('device', client.cookies.get('device') ?? '')
      await expectOwnBudget(() => signIn(thief, email, 'a wrong guess'), 401)
      assert.equal((await signIn(service().client(), email)).status, 200)
    })

    test('A stolen device cookie has one budget, even if its thief signs in as another user and gets a new cookie', async () => {
      const { client, email } = await newUser()
      const [other = ''] = await newUsers(service(), 1)
      const thief = service().client()
      thief.cookies.set('device', client.cookies.get('device') ?? '')
      await expectOwnBudget(() => signIn(thief, email, 'a wrong guess'), 401)
      for (const cookie of ['of the user', 'of the thief']) {
        const former = thief.cookies.get('device')
        assert.equal((await signIn(thief, other)).status, 200)
        assert.notEqual(thief.cookies.get('device'), former)
        assert.equal((await signIn(thief, email, 'a wrong guess')).status, 429, cookie)
        // The next sign-in gets a new cookie again.
        assert.equal((await thief.post('/api/auth/revoke-sessions')).status, 200)
      }
    })

    test('A stolen session grants only the budget of that session, and its wrong passwords count against sign-in', async () => {
      const { email, token } = await newUser()
      const other = await signedIn(service(), email)
      const thief = { headers: { authorization: `Bearer ${token}` } }
      const guess = () => service().client().post('/api/auth/verify-password', { password: 'wrong' }, thief)
      await expectOwnBudget(guess, 400)
      assert.equal((await other.client.post('/api/auth/verify-password', { password: PASSWORD })).status, 200)
      assert.equal((await signIn(service().client(), email)).status, 429)
    })

    test('A cookie that is unknown, of another account or that names a network grants no budget', async () => {
      const { client, email } = await newUser()
      const stranger = await newUser()
      const ownCookie = stranger.client.cookies.get('device') ?? ''
      await lockOut(email)
      for (const cookie of [ownCookie, 'A'.repeat(43), 'x', `network ${client.address}`, '%00', 'a'.repeat(3_000)]) {
        const thief = service().client()
        thief.cookies.set('device', cookie)
        assert.equal((await signIn(thief, email)).status, 429, cookie.slice(0, 50))
      }
    })

    test('A cookie that an attacker planted is replaced when a user signs in with it', async () => {
      const attacker = await newUser()
      const planted = attacker.client.cookies.get('device') ?? ''
      const [email = ''] = await newUsers(service(), 1)
      const client = service().client()
      client.cookies.set('device', planted)
      assert.equal((await signIn(client, email)).status, 200)
      assert.notEqual(client.cookies.get('device'), planted)
      const thief = service().client()
      thief.cookies.set('device', planted)
      await expectOwnBudget(() => signIn(thief, email, 'a wrong guess'), 401)
      assert.equal((await signIn(client, email)).status, 200)
    })

    test('The network of a completed password reset grants a budget for a day', async () => {
      const { email } = await newUser()
      const client = service().client()
      await resetPassword(client, email)
      const signInWithoutCookie = () => {
        const body = { email, password: NEW_PASSWORD }
        const sameNetwork = { headers: { 'x-forwarded-for': client.address } }
        return service().client().post('/api/auth/sign-in/email', body, sameNetwork)
      }
      service().advance(DAY - 60_000)
      await lockOut(email)
      assert.equal((await signInWithoutCookie()).status, 200)
      service().advance(60_000)
      assert.equal((await signInWithoutCookie()).status, 429)
    })

    test('A password reset in one more network leaves at most 20 devices and networks of the user', async () => {
      const { id: userId, email } = await newUser()
      const { database, now } = service().context
      const times = { createdAt: 1, expiresAt: now() + DAY }
      const rows = Array.from({ length: 19 }, (_, index) => ({
        userId,
        device: `network ${index}`,
        isBrowser: 1,
        ...times,
      }))
      await database.insertInto('knownDevices').values(rows).execute()
      await resetPassword(service().client(), email)
      const devices = await database.selectFrom('knownDevices').select('device').where('userId', '=', userId).execute()
      assert.equal(devices.length, 20)
    })

    test('A device grants a budget for 400 days after the sign-in, and gets a new cookie at the next one', async () => {
      const { client, email } = await newUser()
      const cookie = client.cookies.get('device')
      service().advance(400 * DAY)
      await lockOut(email)
      assert.equal((await signIn(client, email)).status, 429)
      service().advance(HOUR)
      assert.equal((await signIn(client, email)).status, 200)
      assert.notEqual(client.cookies.get('device'), cookie)
    })
  },
  { ACCOUNT_GUESSES_PER_15_MINUTES: String(LIMIT) },
)

onEachDatabase('The device cookie', (service) => {
  const rowsOf = (userId: string) =>
    service().context.database.selectFrom('knownDevices').selectAll().where('userId', '=', userId).execute()
  const signIn = (client: Client, email: string, more = {}, headers = {}) =>
    client.post('/api/auth/sign-in/email', { email, password: PASSWORD, ...more }, { headers })
  const signInByScript = (email: string, count: number, cookie = '') =>
    fetch(`${service().baseUrl}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${count}`, cookie },
      body: JSON.stringify({ email, password: PASSWORD }),
    })
  const cookieOf = (answer: Answer) => answer.headers.getSetCookie().find((line) => line.startsWith('device='))

  test('The device cookie is hidden from scripts, contains no data and is stored as a hash', async () => {
    const [email = ''] = await newUsers(service(), 1)
    const client = service().client()
    const answer = await signIn(client, email)
    assert.match(cookieOf(answer) ?? '', /^device=[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/)
    assert.ok(!JSON.stringify(await rowsOf(answer.body.user.id)).includes(client.cookies.get('device') ?? ''))
    assert.equal(cookieOf(await signIn(client, email)), undefined)
    const forgotten = await signIn(service().client(), email, { rememberMe: false })
    assert.match(cookieOf(forgotten) ?? '', /^device=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  test('All users of a browser share one device cookie', async () => {
    const emails = await newUsers(service(), 2)
    const client = service().client()
    for (const email of emails) await signIn(client, email)
    const cookie = client.cookies.get('device')
    for (const email of emails) assert.equal(cookieOf(await signIn(client, email)), undefined)
    assert.equal(client.cookies.get('device'), cookie)
  })

  test('A user who is not remembered leaves the device cookie by which another user of the browser is known', async () => {
    const [first = '', second = ''] = await newUsers(service(), 2)
    const client = service().client()
    await signIn(client, first)
    const cookie = client.cookies.get('device')
    for (let count = 0; count < 2; count += 1) {
      const answer = await signIn(client, second, { rememberMe: false })
      assert.equal(cookieOf(answer), undefined)
      assert.equal((await rowsOf(answer.body.user.id)).length, 1, 'the second sign-in stores no further device')
    }
    assert.equal(client.cookies.get('device'), cookie)
    assert.equal(cookieOf(await signIn(client, first)), undefined)
    // A cookie by which no other user is known is replaced by one that the browser deletes.
    await client.post('/api/auth/revoke-sessions')
    const answer = await signIn(client, first, { rememberMe: false })
    assert.match(cookieOf(answer) ?? '', /^device=[\w-]{43}; Path/)
  })

  test('The 21st browser of a user displaces the one that signed in first', async () => {
    const [email = ''] = await newUsers(service(), 1)
    const browsers = Array.from({ length: 21 }, () => service().client())
    for (const browser of browsers) {
      await signIn(browser, email)
      service().advance(1_000)
    }
    const isKnown = async (index: number) => cookieOf(await signIn(browsers[index]!, email)) === undefined
    assert.deepEqual([await isKnown(20), await isKnown(1), await isKnown(0)], [true, true, false])
  })

  test('Browsers that delete the cookie do not displace those with a lasting one, also from a later sign-in', async () => {
    const [email = ''] = await newUsers(service(), 1)
    const [remembered, formerlyForgotten] = [service().client(), service().client()]
    await signIn(remembered, email)
    const { user } = (await signIn(formerlyForgotten, email, { rememberMe: false })).body
    // After the sign-out everywhere, the next sign-in replaces the cookie of the same device.
    await formerlyForgotten.post('/api/auth/revoke-sessions')
    for (const browser of [remembered, formerlyForgotten]) await signIn(browser, email)
    for (let count = 0; count < 20; count += 1) {
      service().advance(1_000)
      assert.equal((await signIn(service().client(), email, { rememberMe: false })).status, 200)
    }
    assert.equal((await rowsOf(user.id)).length, 20)
    for (const browser of [remembered, formerlyForgotten])
      assert.equal(cookieOf(await signIn(browser, email)), undefined)
  })

  test('A script that signs in often does not displace the device of a browser', async () => {
    const [email = ''] = await newUsers(service(), 1)
    const browser = service().client()
    const { id } = (await signIn(browser, email)).body.user
    for (let count = 0; count < 25; count += 1) assert.equal((await signInByScript(email, count)).status, 200)
    assert.equal((await rowsOf(id)).length, 20)
    assert.equal(cookieOf(await signIn(browser, email)), undefined)
  })

  test('A client that is no browser and stores the cookie is known beside 19 of 20 browsers', async () => {
    const [email = ''] = await newUsers(service(), 1)
    const { id } = (await signIn(service().client(), email)).body.user
    const [row] = await rowsOf(id)
    const { database } = service().context
    const browsers = Array.from({ length: 19 }, (_, index) => ({ ...row!, device: `browser ${index}` }))
    await database.insertInto('knownDevices').values(browsers).execute()
    const deviceOf = (answer: Response) => /device=([\w-]+)/.exec(answer.headers.getSetCookie().join())?.[1]
    let device: string | undefined
    for (let count = 0; count < 3; count += 1) device = deviceOf(await signInByScript(email, count))
    assert.equal(deviceOf(await signInByScript(email, 3, `device=${device}`)), undefined)
    assert.equal((await rowsOf(id)).filter(({ isBrowser }) => isBrowser === 1).length, 19)
  })
})
