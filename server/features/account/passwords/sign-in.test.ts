import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashSync } from '@node-rs/argon2'
import { insertTestPasskeys, refusals } from '../../../../test/support/passkeys.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { assertBrowserSession } from '../../../../test/support/session-cookie.ts'
import { statementsOf } from '../../../../test/support/statements.ts'
import { enableTotp } from '../../../../test/support/two-step.ts'
import { administrator, newEmail, newMember, PASSWORD } from '../../../../test/support/users.ts'
import { hashToken } from '../../../platform/crypto/tokens.ts'

const DAY = 86_400_000

onEachDatabase('sign-in', (service) => {
  const signIn = (
    email: string,
    password = PASSWORD,
    more: Record<string, unknown> = {},
    client = service().client(),
  ) => client.post('/api/auth/sign-in/email', { email, password, ...more })

  test('sign-in returns the session token in body, header and cookie, and the whole user', async () => {
    const { email, id } = await administrator(service())
    const client = service().client()
    const answer = await signIn(` ${email.toUpperCase()} `, PASSWORD, {}, client)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('set-auth-token'), answer.body.token)
    assert.equal(client.cookies.get('session'), answer.body.token)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const { createdAt, updatedAt, ...user } = answer.body.user
    assert.deepEqual(user, {
      id,
      name: 'Ada Admin',
      email,
      emailVerified: true,
      image: null,
      role: 'admin',
      banned: false,
      banReason: null,
      banExpires: null,
      twoFactorEnabled: false,
    })
    assert.ok(!Number.isNaN(Date.parse(createdAt)) && createdAt.endsWith('Z') && updatedAt.endsWith('Z'))
    assert.deepEqual([answer.body.redirect, answer.body.url], [false, null])
  })

  test('sign-in sets a cookie for a month, or for the browser session with rememberMe: false', async () => {
    const { email } = await administrator(service())
    const [remembered] = (await signIn(email)).headers.getSetCookie()
    assert.match(remembered ?? '', /^session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
    assertBrowserSession(await signIn(email, PASSWORD, { rememberMe: false }))
  })

  test('CVE-2024-52307: the database has only the hash of the session token', async () => {
    const { token } = await administrator(service())
    const sessions = await service().context.database.selectFrom('sessions').selectAll().execute()
    assert.ok(!JSON.stringify(sessions).includes(token))
    assert.ok(sessions.some(({ tokenHash }) => tokenHash === hashToken(token)))
    const asBearer = { headers: { authorization: `Bearer ${hashToken(token)}` } }
    assert.equal((await service().client().get('/api/auth/get-session', asBearer)).body, null)
  })

  test('CVE-2023-44399, CVE-2025-31124: sign-in returns the same for a wrong password and an unknown address', async () => {
    const { email } = await administrator(service())
    const wrong = await signIn(email, 'not the password')
    const unknown = await signIn(newEmail(), 'not the password')
    assert.equal(wrong.status, 401)
    assert.equal(unknown.status, 401)
    assert.deepEqual(wrong.body, unknown.body)
    assert.deepEqual([...wrong.headers.keys()], [...unknown.headers.keys()])
    assert.equal(wrong.body.code, 'INVALID_EMAIL_OR_PASSWORD')
    assert.equal(wrong.headers.get('set-cookie'), null)
  })

  test('CVE-2024-28197: sign-in returns a new token and revokes the session in the cookie', async () => {
    const { email, client, token } = await administrator(service())
    const answer = await signIn(email, PASSWORD, {}, client)
    assert.notEqual(answer.body.token, token)
    const former = await service()
      .client()
      .get('/api/auth/get-session', { headers: { authorization: `Bearer ${token}` } })
    assert.equal(former.body, null)
    const planted = service().client()
    planted.cookies.set('session', 'planted-by-an-attacker')
    const fresh = await signIn(email, PASSWORD, {}, planted)
    assert.notEqual(fresh.body.token, 'planted-by-an-attacker')
  })

  test('CVE-2024-39329: a wrong password causes one hash and the same SQL for every kind of user and an unknown address', async (t) => {
    const { database, passwords } = service().context
    const [known, banned, passkeyOnly, twoStep] = [
      await newMember(service()),
      await newMember(service()),
      await newMember(service()),
      await newMember(service()),
    ]
    await database.updateTable('users').set({ banned: 1 }).where('id', '=', banned.id).execute()
    await database.deleteFrom('accounts').where('userId', '=', passkeyOnly.id).execute()
    await insertTestPasskeys(service(), passkeyOnly.id, 1)
    await enableTotp(service(), twoStep)
    const { mock } = t.mock.method(passwords, 'verify', async () => false)
    const sqlOf = async (email: string) => {
      const before = mock.callCount()
      const statements = await statementsOf(t, service(), async () => {
        assert.equal((await signIn(email, 'a wrong password')).status, 401)
      })
      assert.equal(mock.callCount(), before + 1, email)
      // A timer saves counted events.
      return statements.map(({ sql }) => sql).filter((sql) => !sql.includes('"auditEvents"'))
    }
    const expected = await sqlOf(newEmail())
    assert.ok(expected.length > 0)
    for (const { email } of [known, banned, passkeyOnly, twoStep]) assert.deepEqual(await sqlOf(email), expected)
  })

  test('CVE-2024-4629: sign-in verifies no more wrong passwords than the budget, with concurrent requests', async (t) => {
    const { email } = await newMember(service())
    const { mock } = t.mock.method(service().context.passwords, 'verify')
    const tries = await Promise.all(Array.from({ length: 100 }, () => signIn(email, 'a wrong password')))
    // 503: too many hashes wait. The request is charged to the budget as well.
    assert.ok(tries.every(({ status }) => [401, 429, 503].includes(status)))
    assert.ok(tries.some(({ status }) => status === 401))
    assert.ok(mock.callCount() <= 20, `${mock.callCount()} were verified`)
    const right = await signIn(email)
    assert.equal(right.status, 429)
    assert.ok(Number(right.headers.get('retry-after')) > 0)
    assert.equal(right.headers.get('retry-after'), right.headers.get('x-retry-after'))
  })

  test('CVE-2025-24806: sign-in counts spellings of an address as one', async () => {
    const { email } = await newMember(service())
    const variants = [email, email.toUpperCase(), ` ${email}`, `${email} `]
    for (let count = 0; count < 20; count += 1)
      await signIn(variants[count % variants.length] ?? email, 'a wrong password')
    assert.equal((await signIn(email.toUpperCase())).status, 429)
  })

  test('sign-in with the right password restores the whole budget', async () => {
    const { email } = await newMember(service())
    for (let round = 0; round < 2; round += 1) {
      for (let count = 0; count < 15; count += 1) assert.equal((await signIn(email, 'a wrong password')).status, 401)
      assert.equal((await signIn(email)).status, 200)
    }
  })

  test('sign-in limits the attempts of one client address over all accounts', async () => {
    const client = service().client()
    const statuses: number[] = []
    for (let count = 0; count < 31; count += 1)
      statuses.push((await signIn(newEmail(), 'a wrong password', {}, client)).status)
    assert.deepEqual(new Set(statuses.slice(0, 30)), new Set([401]))
    assert.equal(statuses.at(-1), 429)
  })

  test('CVE-2013-1443: sign-in refuses a password that is too long before hashing it', async (t) => {
    const { email } = await administrator(service())
    const { mock } = t.mock.method(service().context.passwords, 'verify')
    const answer = await signIn(email, 'x'.repeat(129))
    assert.equal(answer.status, 400)
    assert.equal(answer.body.code, 'PASSWORD_TOO_LONG')
    assert.equal(answer.body.field, 'password')
    assert.equal((await signIn(email, 'x'.repeat(1_000_000))).status, 413)
    assert.equal(mock.callCount(), 0)
  })

  test('sign-in renews a hash with outdated parameters, and the time of the last change stays', async () => {
    const { email, id } = await newMember(service())
    const { database } = service().context
    const older = hashSync(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1 })
    const changed = { passwordHash: older, updatedAt: 1 }
    await database.updateTable('accounts').set(changed).where('userId', '=', id).execute()
    assert.equal((await signIn(email)).status, 200)
    const renewed = await database
      .selectFrom('accounts')
      .select(['passwordHash', 'updatedAt'])
      .where('userId', '=', id)
      .executeTakeFirst()
    assert.equal(renewed?.updatedAt, 1)
    assert.match(renewed?.passwordHash ?? '', /m=19456,t=2,p=1/)
    assert.equal((await signIn(email)).status, 200)
  })

  test('sign-in refuses a banned user until the ban expires, and names the ban only for the right password', async () => {
    const { email, id, token } = await newMember(service())
    const { database, now } = service().context
    const change = { banned: 1, banExpires: now() + DAY }
    await database.updateTable('users').set(change).where('id', '=', id).execute()
    const bearer = { headers: { authorization: `Bearer ${token}` } }
    assert.equal((await service().client().get('/api/auth/get-session', bearer)).body, null)
    assert.equal((await signIn(email, 'a wrong password')).body.code, 'INVALID_EMAIL_OR_PASSWORD')
    const refused = await signIn(email)
    assert.equal(refused.status, 403)
    assert.equal(refused.body.code, 'BANNED_USER')
    assert.deepEqual(await refusals(service(), 'access.refused', id), ['BANNED_USER'])
    // The wrong password has a reason instead of a code.
    assert.deepEqual(await refusals(service(), 'sign-in.failed', id), ['BANNED_USER', undefined])
    service().advance(DAY)
    assert.equal((await signIn(email)).status, 200)
  })

  test('sign-in records successful and failed attempts with their network address', async () => {
    const { email, id } = await newMember(service())
    await signIn(email, 'a wrong password')
    await service().context.repeatedEvents.save()
    const events = await service()
      .context.database.selectFrom('auditEvents')
      .selectAll()
      .where('subjectId', '=', id)
      .execute()
    const byAction = new Map(events.map((event) => [event.action, event]))
    assert.deepEqual([...byAction.keys()].toSorted(), ['session.started', 'sign-in.failed', 'user.created'])
    assert.equal(byAction.get('session.started')?.actorId, id)
    const failed = byAction.get('sign-in.failed')
    assert.match(failed?.ipAddress ?? '', /^10\./)
    assert.match(failed?.requestId ?? '', /^[0-9a-f-]{36}$/)
  })
})
