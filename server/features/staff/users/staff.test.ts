import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase, type Service, startService } from '../../../../test/support/service.ts'
import { createTestUser, userWithRole } from '../../../../test/support/staff.ts'
import { enableTotp } from '../../../../test/support/two-step.ts'
import {
  administrator,
  administratorWithOrganization,
  member,
  newEmail,
  PASSWORD,
  signedIn,
  type TestUser,
  tokenIn,
} from '../../../../test/support/users.ts'
import { whenServed } from '../../../../test/support/when-served.ts'
import { createToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { liftExpiredBans } from '../bans/lift-expired-bans.ts'

const HOUR = 3_600_000

onEachDatabase('ban-user', (service) => {
  test('unban-user of a user who is not banned changes nothing', async () => {
    const admin = await administrator(service())
    const { id: userId } = await userWithRole(service(), admin)
    const read = async () => (await admin.client.get(`/api/auth/admin/get-user?id=${userId}`)).body
    const before = await read()
    service().advance(1_000)
    assert.equal((await act(admin, 'unban-user', { userId })).status, 200)
    assert.deepEqual(await read(), before)
    const { database } = service().context
    const events = database.selectFrom('auditEvents').select('id').where('subjectId', '=', userId)
    assert.deepEqual(await events.where('action', '=', 'user.unbanned').execute(), [])
  })

  test('ban-user revokes every session, sign-in returns BANNED_USER, and unban-user lifts the ban', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const banned = await act(admin, 'ban-user', { userId: user.id, banReason: 'Spam' })
    assert.equal(banned.body.user.banned, true)
    assert.equal(banned.body.user.banReason, 'Spam')
    assert.equal(banned.body.user.banExpires, null)
    assert.equal((await user.client.get('/api/auth/get-session')).body, null)
    assert.equal((await user.client.get('/api/token?org=example')).status, 401)
    const refused = await service().client().post('/api/auth/sign-in/email', { email: user.email, password: PASSWORD })
    assert.equal(refused.body.code, 'BANNED_USER')
    const lifted = await act(admin, 'unban-user', { userId: user.id })
    assert.equal(lifted.body.user.banned, false)
    assert.equal(lifted.body.user.banReason, null)
    assert.equal((await user.client.get('/api/auth/get-session')).body, null)
    await signedIn(service(), user.email)
  })

  test('An expired ban is lifted, in list-users too', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const { body } = await act(admin, 'ban-user', { userId: user.id, banExpiresIn: 3_600 })
    const lasts = Date.parse(body.user.banExpires) - service().context.now()
    assert.ok(lasts > HOUR - 60_000 && lasts <= HOUR)
    assert.deepEqual(await listed(admin, 'filterField=banned&filterValue=true'), [user.id])
    service().advance(HOUR)
    await Promise.all([liftExpiredBans(service().context), liftExpiredBans(service().context)])
    const again = await administrator(service())
    const { events } = (await again.client.get(`/api/auth/admin/list-audit-events?subjectId=${user.id}`)).body
    assert.equal(events.filter(({ action }: { action: string }) => action === 'user.ban-expired').length, 1)
    assert.deepEqual(await listed(again, 'filterField=banned&filterValue=true'), [])
    const { user: lifted } = (await again.client.get(`/api/auth/admin/get-user?id=${user.id}`)).body
    assert.equal(lifted.banned, false)
    // Services that follow users by this time see the end of the ban.
    assert.ok(Date.parse(lifted.updatedAt) >= Date.parse(body.user.banExpires))
    // The end of a ban restores no session.
    assert.equal((await user.client.get('/api/auth/get-session')).body, null)
    await signedIn(service(), user.email)
  })

  test('ban-user names an invalid reason or time', async () => {
    const admin = await administrator(service())
    const userId = await createTestUser(admin, {})
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
      await act(admin, 'ban-user', { userId: user.id })
      assert.equal((await there(user, '/api/auth/get-session')).body, null)
      await act(admin, 'set-role', { userId: support.id, role: 'user' })
      assert.equal((await there(support, '/api/auth/admin/list-users')).status, 403)
      await act(admin, 'remove-user', { userId: support.id })
      assert.equal((await there(support, '/api/auth/get-session')).body, null)
    } finally {
      await beside.stop()
    }
  })
})

onEachDatabase('Staff without a verified email address', (service) => {
  test('Staff routes need a verified email address', async () => {
    const admin = await administrator(service())
    const email = newEmail()
    const testUser = { email, name: 'Sue Support', password: PASSWORD, role: 'support' }
    assert.equal((await act(admin, 'create-user', testUser)).body.user.emailVerified, false)
    assert.deepEqual(await service().emails(email), [])
    const { client } = await signedIn(service(), email)
    const refused = await client.get('/api/auth/admin/list-users')
    assert.deepEqual([refused.status, refused.body.code], [403, 'EMAIL_NOT_VERIFIED'])
    assert.match(refused.body.message, /ask for a new one on your account page/)
    await client.post('/api/auth/send-verification-email', { email })
    await client.get(`/api/auth/verify-email?token=${await tokenIn(service(), email)}`)
    assert.equal((await client.get('/api/auth/admin/list-users')).status, 200)
  })
})

onEachDatabase('Roles', (service) => {
  test('set-role takes effect with the next request', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    assert.equal((await user.client.get('/api/auth/admin/list-users')).status, 403)
    assert.equal((await act(admin, 'set-role', { userId: user.id, role: 'support' })).body.user.role, 'support')
    assert.equal((await user.client.get('/api/auth/admin/list-users')).status, 200)
    await act(admin, 'set-role', { userId: user.id, role: 'user' })
    assert.equal((await user.client.get('/api/auth/admin/list-users')).status, 403)
  })

  test('set-role and create-user refuse unknown roles in every form', async () => {
    const admin = await administrator(service())
    const userId = await createTestUser(admin, {})
    for (const role of [
      'owner',
      'Admin',
      'admin,user',
      'user admin',
      '',
      ['admin', 'user'],
      ['owner'],
      [],
      null,
      1,
      'constructor',
      'а dmin',
    ]) {
      const answer = await admin.client.post('/api/auth/admin/set-role', { userId, role })
      assert.equal(answer.status, 400, String(role))
      assert.equal(answer.body.field, 'role', String(role))
    }
    const created = { email: newEmail(), name: 'N', role: ['admin', 'user'] }
    assert.equal((await admin.client.post('/api/auth/admin/create-user', created)).body.field, 'role')
    assert.equal((await admin.client.get(`/api/auth/admin/get-user?id=${userId}`)).body.user.role, 'user')
  })

  test('Concurrent demotions, bans or removals of administrators leave one administrator', async () => {
    const first = await administrator(service())
    const beside =
      service().engine === 'postgres' ? await startService({ engine: 'postgres', beside: service() }) : service()
    try {
      for (const [path, more] of [
        ['set-role', { role: 'user' }],
        ['ban-user', {}],
        ['remove-user', {}],
      ] as const) {
        const admins = [
          await userWithRole(service(), first, 'admin'),
          await userWithRole(service(), first, 'admin'),
          await userWithRole(service(), first, 'admin'),
        ]
        const headersOf = ({ token }: TestUser) => ({ headers: { authorization: `Bearer ${token}` } })
        const answers = await Promise.all(
          admins.flatMap((admin, index) =>
            admins
              .filter((other) => other !== admin)
              .map((other) =>
                (index % 2 ? beside : service())
                  .client()
                  .post(`/api/auth/admin/${path}`, { userId: other.id, ...more }, headersOf(admin)),
              ),
          ),
        )
        assert.ok(
          answers.every(({ status }) => status < 500),
          JSON.stringify(answers.map(({ body }) => body)),
        )
        const ids = admins.map(({ id }) => id)
        const left = await service()
          .context.database.selectFrom('users')
          .select('id')
          .where('id', 'in', ids)
          .where('role', '=', 'admin')
          .where('banned', '=', 0)
          .execute()
        assert.ok(left.length >= 1, path)
      }
    } finally {
      if (beside !== service()) await beside.stop()
    }
  })

  test("The last administrator without a ban can't delete their own user", async () => {
    const admin = await administrator(service())
    const other = await userWithRole(service(), admin, 'admin')
    for (const { id } of (
      await admin.client.get('/api/auth/admin/list-users?filterField=role&filterValue=admin&limit=500')
    ).body.users)
      if (id !== admin.id) await act(admin, 'ban-user', { userId: id })
    const refused = await admin.client.post('/api/auth/delete-user', { password: PASSWORD })
    assert.equal(refused.body.code, 'LAST_ADMINISTRATOR')
    await act(admin, 'unban-user', { userId: other.id })
  })
})

onEachDatabase('Managing users', (service) => {
  test('create-user without a password sends a link to choose one, which verifies the email address', async () => {
    const admin = await administrator(service())
    const email = newEmail()
    const { body } = await act(admin, 'create-user', { email: ` ${email.toUpperCase()} `, name: 'Nia New' })
    assert.equal(body.user.email, email)
    assert.equal(body.user.role, 'user')
    assert.equal(body.user.emailVerified, false)
    const token = await tokenIn(service(), email)
    const reset = await service().client().post('/api/auth/reset-password', { token, newPassword: PASSWORD })
    assert.equal(reset.status, 200)
    const { client } = await signedIn(service(), email)
    assert.equal((await client.get('/api/auth/get-session')).body.user.emailVerified, true)
  })

  test('create-user accepts an email address once and names the invalid field', async () => {
    const admin = await administrator(service())
    const email = newEmail()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        whenServed(() => admin.client.post('/api/auth/admin/create-user', { email, name: 'N', password: PASSWORD })),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.ok(
      answers.every(({ status, body }) => status === 200 || body.code === 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL'),
    )
    const fine = { email: newEmail(), name: 'N', password: PASSWORD }
    for (const [wrong, field] of [
      [{ email: 'x' }, 'email'],
      [{ email: 'ａ@example.com' }, 'email'],
      [{ name: '' }, 'name'],
      [{ name: 'a\u0000' }, 'name'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ password: 'short' }, 'password'],
      [{ data: { role: 'admin' } }, 'data.role'],
      [{ data: { ROLE: 'admin' } }, 'data.ROLE'],
      [{ data: { name: 'Other' } }, 'data.name'],
      [{ data: { toString: 1 } }, 'data.toString'],
      [{ data: { emailVerified: 'yes' } }, 'data.emailVerified'],
      [{ id: 'usr_1' }, 'id'],
    ] as const) {
      const answer = await admin.client.post('/api/auth/admin/create-user', { ...fine, ...wrong })
      assert.equal(answer.status, 400, JSON.stringify(wrong))
      assert.equal(answer.body.field, field, JSON.stringify(wrong))
    }
  })

  test('CVE-2026-40172: update-user refuses role, ban, password and id and names the right route', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const before = (await admin.client.get(`/api/auth/admin/get-user?id=${user.id}`)).body
    for (const data of [
      { role: 'admin' },
      { banned: true },
      { banReason: 'x' },
      { banExpires: null },
      { password: PASSWORD },
      { id: 'usr_1' },
      { createdAt: '2020-01-01' },
      { twoFactorEnabled: true },
      { Role: 'admin' },
      { emailverified: true },
      { constructor: 1 },
      { hasOwnProperty: 1 },
      { name: '' },
      { name: 1 },
      { image: 'no url' },
      { email: 'x' },
      { emailVerified: 1 },
    ]) {
      const answer = await admin.client.post('/api/auth/admin/update-user', {
        userId: user.id,
        data: { ...('name' in data ? {} : { name: 'Changed' }), ...data },
      })
      assert.equal(answer.status, 400, JSON.stringify(data))
      assert.equal(answer.body.field, `data.${Object.keys(data)[0]}`, JSON.stringify(answer.body))
    }
    const role = await admin.client.post('/api/auth/admin/update-user', { userId: user.id, data: { role: 'admin' } })
    assert.match(role.body.message, /set-role/)
    assert.equal(
      (await admin.client.post('/api/auth/admin/update-user', { userId: user.id, data: {} })).body.code,
      'NO_DATA_TO_UPDATE',
    )
    assert.deepEqual((await admin.client.get(`/api/auth/admin/get-user?id=${user.id}`)).body, before)
  })

  test('update-user with a new email address revokes sessions and links, unverifies it and notifies the old one', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    await service().client().post('/api/auth/request-password-reset', { email: user.email })
    const planted = await tokenIn(service(), user.email)
    const email = newEmail()
    const data = { email, name: 'Nia New', image: 'https://example.com/n.png' }
    const { body } = await act(admin, 'update-user', { userId: user.id, data })
    assert.equal(body.user.email, email)
    assert.equal(body.user.emailVerified, false)
    assert.equal(body.user.image, data.image)
    assert.equal((await user.client.get('/api/auth/get-session')).body, null)
    const reset = await service().client().post('/api/auth/reset-password', { token: planted, newPassword: PASSWORD })
    assert.equal(reset.body.code, 'INVALID_TOKEN')
    const [message] = await service().emails(user.email)
    assert.match(message?.subject ?? '', /address of your account was changed/)
    const verified = await act(admin, 'update-user', { userId: user.id, data: { emailVerified: true, image: null } })
    assert.equal(verified.body.user.emailVerified, true)
    assert.equal(verified.body.user.image, null)
    const taken = await admin.client.post('/api/auth/admin/update-user', {
      userId: user.id,
      data: { email: admin.email },
    })
    assert.equal(taken.body.code, 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL')
  })

  test('update-user ends no two-step verification by an unverified address, whose mailbox alone would open the account', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const { codeAt } = await enableTotp(service(), user)
    const email = newEmail()
    const update = (data: object) => admin.client.post('/api/auth/admin/update-user', { userId: user.id, data })
    for (const data of [{ email }, { email, emailVerified: false }, { emailVerified: false }]) {
      const { status, body } = await update(data)
      assert.deepEqual([status, body.code, body.field], [400, 'USER_HAS_TWO_FACTOR', 'data.emailVerified'])
    }
    assert.equal((await update({ email, emailVerified: true })).status, 200)
    const stranger = service().client()
    await stranger.post('/api/auth/request-password-reset', { email })
    const newPassword = 'another horse battery'
    await stranger.post('/api/auth/reset-password', { token: await tokenIn(service(), email), newPassword })
    const answer = await stranger.post('/api/auth/sign-in/email', { email, password: newPassword })
    assert.equal(answer.body.twoFactorRedirect, true)
    const code = codeAt(service().context.now())
    assert.equal((await stranger.post('/api/auth/two-factor/verify-totp', { code })).status, 200)
  })

  test('update-user and create-user record whether staff set an email address to verified', async () => {
    const admin = await administrator(service())
    const { id: userId } = await userWithRole(service(), admin)
    for (const data of [{ emailVerified: false }, { emailVerified: true }, { name: 'Other' }, { email: newEmail() }])
      assert.equal((await act(admin, 'update-user', { userId, data })).status, 200)
    const { events } = (await admin.client.get(`/api/auth/admin/list-audit-events?subjectId=${userId}`)).body
    const recorded = events
      .filter(({ action }: { action: string }) => ['user.created', 'user.updated', 'email.changed'].includes(action))
      .map(({ action, details }: { action: string; details: object }) => [
        action,
        'emailVerified' in details ? details.emailVerified : '-',
      ])
    assert.deepEqual(recorded.toSorted(), [
      ['email.changed', false],
      ['user.created', true],
      ['user.updated', '-'],
      ['user.updated', false],
      ['user.updated', false],
      ['user.updated', true],
    ])
  })

  test('set-user-password, and set-role to a role of staff, revoke the link that undoes a change of the email address', async () => {
    const admin = await administrator(service())
    const { context } = service()
    for (const [path, change] of [
      ['set-user-password', { newPassword: 'another correct horse battery' }],
      ['set-role', { role: 'support' }],
    ] as const) {
      const { id: userId } = await userWithRole(service(), admin)
      const data = { oldEmail: 'old@example.com' }
      const token = await createToken(context.database, context, 'undo email change', { userId, data })
      assert.equal((await act(admin, path, { userId, ...change })).status, 200)
      const undone = await service().client().post('/api/undo-change-email', { token })
      assert.deepEqual([undone.status, undone.body.code], [400, 'INVALID_TOKEN'], path)
    }
  })

  test('set-user-password revokes the sessions and links of the user and notifies the user', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const newPassword = 'another fine password'
    await service().client().post('/api/auth/request-password-reset', { email: user.email })
    const token = await tokenIn(service(), user.email)
    assert.deepEqual((await act(admin, 'set-user-password', { userId: user.id, newPassword })).body, { status: true })
    assert.equal((await user.client.get('/api/auth/get-session')).body, null)
    const reset = await service().client().post('/api/auth/reset-password', { token, newPassword: PASSWORD })
    assert.deepEqual([reset.status, reset.body.code], [400, 'INVALID_TOKEN'])
    const [message] = await service().emails(user.email)
    assert.match(message?.subject ?? '', /password was set/)
    await signedIn(service(), user.email, newPassword)
    for (const wrong of ['short', 'password', 'x'.repeat(129), '']) {
      const answer = await admin.client.post('/api/auth/admin/set-user-password', {
        userId: user.id,
        newPassword: wrong,
      })
      assert.equal(answer.body.field, 'newPassword', wrong.slice(0, 9))
    }
  })

  test('GHSA-2vg6-77g8-24mp: remove-user takes effect with the next request and refuses the only owner of a shared organization', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    await act(admin, 'remove-user', { userId: user.id })
    assert.equal((await user.client.get('/api/auth/get-session')).body, null)
    assert.equal((await admin.client.get(`/api/auth/admin/get-user?id=${user.id}`)).status, 404)
    const onlyOwner = await administratorWithOrganization(service())
    await member(service(), onlyOwner)
    const other = await userWithRole(service(), admin, 'admin')
    const answer = await other.client.post('/api/auth/admin/remove-user', { userId: onlyOwner.id })
    assert.equal(answer.body.code, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
  })

  test('The email about remove-user names an administrator, and neither their network nor their device', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0' }
    const removed = await admin.client.post('/api/auth/admin/remove-user', { userId: user.id }, { headers })
    assert.equal(removed.status, 200)
    const [notice] = await service().emails(user.email)
    assert.equal(notice?.subject, 'Your account was deleted by an administrator')
    assert.doesNotMatch(notice?.text ?? '', /network address|Firefox/)
  })

  test('list-user-sessions returns handles that authenticate nothing, by which sessions are revoked', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const second = await signedIn(service(), user.email)
    const { body } = await act(admin, 'list-user-sessions', { userId: user.id })
    assert.equal(body.sessions.length, 2)
    for (const { token } of body.sessions) {
      assert.ok(token !== user.token && token !== second.token)
      assert.equal((await asBearer(service(), token)).body, null)
    }
    await act(admin, 'revoke-user-session', { sessionToken: body.sessions[0].token })
    assert.equal((await second.client.get('/api/auth/get-session')).body, null)
    assert.equal((await user.client.get('/api/auth/get-session')).body.user.id, user.id)
    await act(admin, 'revoke-user-session', { sessionToken: user.token })
    assert.equal((await user.client.get('/api/auth/get-session')).body, null)
    const third = await signedIn(service(), user.email)
    await act(admin, 'revoke-user-sessions', { userId: user.id })
    assert.equal((await third.client.get('/api/auth/get-session')).body, null)
    const own = await act(admin, 'list-user-sessions', { userId: admin.id })
    assert.ok(own.body.sessions.some(({ token }: { token: string }) => token === admin.token))
  })

  test('list-user-sessions shows support no network of an administrator who impersonates the user', async () => {
    const admin = await administrator(service())
    const support = await userWithRole(service(), admin, 'support')
    const { id: userId } = await userWithRole(service(), admin)
    const other = await userWithRole(service(), admin, 'admin')
    assert.equal((await act(other, 'impersonate-user', { userId })).status, 200)
    const networks = async (staff: TestUser) => {
      const { sessions } = (await act(staff, 'list-user-sessions', { userId })).body
      return sessions
        .map(({ impersonatedBy, ipAddress }: { impersonatedBy: string | null; ipAddress: string | null }) => [
          impersonatedBy === other.id,
          ipAddress !== null,
        ])
        .sort()
    }
    assert.deepEqual(await networks(admin), [
      [false, true],
      [true, true],
    ])
    assert.deepEqual(await networks(support), [
      [false, true],
      [true, false],
    ])
  })

  test('An impersonated session is in list-user-sessions, but not in list-sessions of the user', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    await act(admin, 'impersonate-user', { userId: user.id })
    assert.equal((await user.client.get('/api/auth/list-sessions')).body.length, 1)
    const other = await administrator(service())
    const { body } = await act(other, 'list-user-sessions', { userId: user.id })
    assert.deepEqual(
      body.sessions.map((session: { impersonatedBy: string | null }) => session.impersonatedBy),
      [admin.id, null],
    )
  })
})

async function act(admin: TestUser, path: string, body: Record<string, unknown>) {
  const answer = await admin.client.post(`/api/auth/admin/${path}`, body)
  assert.equal(answer.status, 200, `${path} ${JSON.stringify(answer.body)}`)
  return answer
}

async function listed({ client }: TestUser, query: string): Promise<string[]> {
  const { body } = await client.get(`/api/auth/admin/list-users?${query}`)
  return body.users.map(({ id }: { id: string }) => id)
}

function asBearer(service: Service, token: string) {
  return service.client().get('/api/auth/get-session', { headers: { authorization: `Bearer ${token}` } })
}
