import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConcurrentStep, concurrently } from '../../../../test/support/concurrently.ts'
import { holdTransaction } from '../../../../test/support/hold-transaction.ts'
import { onEachDatabase, startService } from '../../../../test/support/service.ts'
import { administer, userWithRole } from '../../../../test/support/staff.ts'
import { administrator, newUser, PASSWORD, signedIn, type TestUser } from '../../../../test/support/users.ts'
import { liftExpiredBans } from './lift-expired-bans.ts'

const HOUR = 3_600_000

onEachDatabase('ban-user', (service, engine) => {
  test('unban-user of a user who is not banned changes nothing', async () => {
    const admin = await administrator(service())
    const { id: userId } = await userWithRole(service(), admin)
    const read = async () => (await admin.client.get(`/api/auth/admin/get-user?id=${userId}`)).body
    const before = await read()
    service().advance(1_000)
    assert.equal((await administer(admin, 'unban-user', { userId })).status, 200)
    assert.deepEqual(await read(), before)
    const { database } = service().context
    const events = database.selectFrom('auditEvents').select('id').where('subjectId', '=', userId)
    assert.deepEqual(await events.where('action', '=', 'user.unbanned').execute(), [])
  })

  test('ban-user revokes every session, sign-in returns BANNED_USER, and unban-user lifts the ban', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const banned = await administer(admin, 'ban-user', { userId: user.id, banReason: 'Spam' })
    assert.equal(banned.body.user.banned, true)
    assert.equal(banned.body.user.banReason, 'Spam')
    assert.equal(banned.body.user.banExpires, null)
    assert.equal((await user.client.get('/api/auth/get-session')).body, null)
    assert.equal((await user.client.get('/api/token?org=example')).status, 401)
    const refused = await service().client().post('/api/auth/sign-in/email', { email: user.email, password: PASSWORD })
    assert.equal(refused.body.code, 'BANNED_USER')
    const lifted = await administer(admin, 'unban-user', { userId: user.id })
    assert.equal(lifted.body.user.banned, false)
    assert.equal(lifted.body.user.banReason, null)
    assert.equal((await user.client.get('/api/auth/get-session')).body, null)
    await signedIn(service(), user.email)
  })

  test('Only a fresh session lifts the ban of staff, who get their power back', async () => {
    const admin = await administrator(service())
    const [staff, user] = [await userWithRole(service(), admin, 'support'), await userWithRole(service(), admin)]
    for (const { id: userId } of [staff, user]) await administer(admin, 'ban-user', { userId })
    service().advance(15 * 60_000)
    const unban = ({ id: userId }: TestUser) => admin.client.post('/api/auth/admin/unban-user', { userId })
    assert.equal((await unban(staff)).body.code, 'SESSION_NOT_FRESH')
    assert.equal((await unban(user)).status, 200)
    await admin.client.post('/api/auth/verify-password', { password: PASSWORD })
    assert.equal((await unban(staff)).body.user.banned, false)
  })

  test('An expired ban is lifted, in list-users too', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const { body } = await administer(admin, 'ban-user', { userId: user.id, banExpiresIn: 3_600 })
    const lasts = Date.parse(body.user.banExpires) - service().context.now()
    assert.ok(lasts > HOUR - 60_000 && lasts <= HOUR)
    const isListed = async (staff: TestUser) =>
      (await listed(staff, 'filterField=banned&filterValue=true&limit=100')).includes(user.id)
    assert.equal(await isListed(admin), true)
    service().advance(HOUR)
    await Promise.all([liftExpiredBans(service().context), liftExpiredBans(service().context)])
    const again = await administrator(service())
    const { events } = (await again.client.get(`/api/auth/admin/list-audit-events?subjectId=${user.id}`)).body
    assert.equal(events.filter(({ action }: { action: string }) => action === 'user.ban-expired').length, 1)
    assert.equal(await isListed(again), false)
    const { user: lifted } = (await again.client.get(`/api/auth/admin/get-user?id=${user.id}`)).body
    assert.equal(lifted.banned, false)
    // Services that follow users by this time see the end of the ban.
    assert.ok(Date.parse(lifted.updatedAt) >= Date.parse(body.user.banExpires))
    // The end of a ban restores no session.
    assert.equal((await user.client.get('/api/auth/get-session')).body, null)
    await signedIn(service(), user.email)
  })

  // SQLite has no row locks.
  if (engine === 'postgres') {
    test('An expired ban of a locked user is left for the next time', async (t) => {
      const { database: settings } = service().config
      assert.ok(settings.engine === 'postgres')
      const admin = await administrator(service())
      const [locked, user] = [await newUser(service()), await newUser(service())]
      for (const userId of [locked, user]) await administer(admin, 'ban-user', { userId, banExpiresIn: 3_600 })
      service().advance(HOUR)
      const commit = await holdTransaction(t, settings.url, `select from users where id = '${locked}' for update`)
      const signal = AbortSignal.timeout(10_000)
      await liftExpiredBans(service().context, signal)
      assert.equal(signal.aborted, false, 'it waits for no lock')
      const { database } = service().context
      const banned = database.selectFrom('users').select('id').where('banned', '=', 1)
      const isBanned = async (id: string) => (await banned.where('id', '=', id).execute()).length === 1
      assert.deepEqual([await isBanned(locked), await isBanned(user)], [true, false])
      await commit()
      await liftExpiredBans(service().context)
      assert.equal(await isBanned(locked), false)
    })
  }

  test('ban-user with expectedBanned: false leaves the ban of a banned user, and bans again after its end', async () => {
    const admin = await administrator(service())
    const userId = await newUser(service())
    const read = async () => (await admin.client.get(`/api/auth/admin/get-user?id=${userId}`)).body.user
    const ban = (banReason: string, more: object = {}) =>
      admin.client.post('/api/auth/admin/ban-user', { userId, banReason, banExpiresIn: 3_600, ...more })
    assert.equal((await ban('Spam', { expectedBanned: false })).status, 200)
    assert.equal((await ban('Fraud')).body.user.banReason, 'Fraud')
    const before = await read()
    const { status, body } = await ban('Spam', { expectedBanned: false })
    assert.deepEqual([status, body.code, body.field], [400, 'USER_ALREADY_BANNED', 'expectedBanned'])
    assert.deepEqual(await read(), before)
    service().advance(HOUR)
    assert.equal((await ban('Spam', { expectedBanned: false })).body.user.banReason, 'Spam')
    assert.equal((await ban('Spam', { expectedBanned: true })).body.message, 'expectedBanned must be false.')
  })

  test('ban-user with expectedBanned: false leaves a ban that is set concurrently', async () => {
    const admin = await administrator(service())
    const userId = await newUser(service())
    const banning: ConcurrentStep = {
      begin: (transaction) =>
        transaction.updateTable('users').set({ banned: 1, banReason: 'Fraud' }).where('id', '=', userId).execute(),
    }
    const body = { userId, banReason: 'Spam', banExpiresIn: 3_600, expectedBanned: false }
    const answer = await concurrently(service(), banning, () => admin.client.post('/api/auth/admin/ban-user', body))
    assert.deepEqual([answer.status, answer.body.code], [400, 'USER_ALREADY_BANNED'])
    const { user } = (await admin.client.get(`/api/auth/admin/get-user?id=${userId}`)).body
    assert.deepEqual([user.banReason, user.banExpires], ['Fraud', null])
  })

  test('ban-user names an invalid reason or time', async () => {
    const admin = await administrator(service())
    const userId = await newUser(service())
    for (const [field, value] of [
      ...[0, -1, 1.5, '60', null, 1e12].map((seconds) => ['banExpiresIn', seconds] as const),
      ...[1, null, 'x'.repeat(501), 'a\u0000b', ''].map((reason) => ['banReason', reason] as const),
    ]) {
      const answer = await admin.client.post('/api/auth/admin/ban-user', { userId, [field]: value })
      assert.equal(answer.status, 400, `${field} ${value}`)
      assert.equal(answer.body.field, field)
    }
    assert.equal((await admin.client.get(`/api/auth/admin/get-user?id=${userId}`)).body.user.banned, false)
  })

  test('CVE-2023-22492, CVE-2024-46999: bans and demotions take effect with the next request in another process', async () => {
    const admin = await administrator(service())
    const beside = await startService({ engine: service().engine, beside: service() })
    try {
      const [user, support] = [await userWithRole(service(), admin), await userWithRole(service(), admin, 'support')]
      const there = (testUser: TestUser, path: string) =>
        beside.client().get(path, { headers: { authorization: `Bearer ${testUser.token}` } })
      // Twice, so that the cache has the sessions.
      for (let time = 0; time < 2; time += 1) {
        assert.equal((await there(user, '/api/auth/get-session')).body.user.id, user.id)
        assert.equal((await there(support, '/api/auth/admin/list-users')).status, 200)
      }
      await administer(admin, 'ban-user', { userId: user.id })
      assert.equal((await there(user, '/api/auth/get-session')).body, null)
      await administer(admin, 'set-role', { userId: support.id, role: 'user' })
      assert.equal((await there(support, '/api/auth/admin/list-users')).status, 403)
      await administer(admin, 'remove-user', { userId: support.id })
      assert.equal((await there(support, '/api/auth/get-session')).body, null)
    } finally {
      await beside.stop()
    }
  })
})

async function listed({ client }: TestUser, query: string): Promise<string[]> {
  const { body } = await client.get(`/api/auth/admin/list-users?${query}`)
  return body.users.map(({ id }: { id: string }) => id)
}
