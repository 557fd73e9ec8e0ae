import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase, startService } from '../../../../test/support/service.ts'
import { administer, userWithRole } from '../../../../test/support/staff.ts'
import {
  administrator,
  newEmail,
  newUser,
  PASSWORD,
  signedIn,
  type TestUser,
  tokenIn,
} from '../../../../test/support/users.ts'

onEachDatabase('Roles', (service) => {
  test('set-role takes effect with the next request', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    assert.equal((await user.client.get('/api/auth/admin/list-users')).status, 403)
    assert.equal((await administer(admin, 'set-role', { userId: user.id, role: 'support' })).body.user.role, 'support')
    assert.equal((await user.client.get('/api/auth/admin/list-users')).status, 200)
    await administer(admin, 'set-role', { userId: user.id, role: 'user' })
    assert.equal((await user.client.get('/api/auth/admin/list-users')).status, 403)
  })

  test('set-role and create-user refuse unknown roles in every form', async () => {
    const admin = await administrator(service())
    const userId = await newUser(service())
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
      if (id !== admin.id) await administer(admin, 'ban-user', { userId: id })
    const refused = await admin.client.post('/api/auth/delete-user', { password: PASSWORD })
    assert.equal(refused.body.code, 'LAST_ADMINISTRATOR')
    await administer(admin, 'unban-user', { userId: other.id })
  })

  test('Staff routes need a verified email address', async () => {
    const admin = await administrator(service())
    const email = newEmail()
    const testUser = { email, name: 'Sue Support', password: PASSWORD, role: 'support' }
    assert.equal((await administer(admin, 'create-user', testUser)).body.user.emailVerified, false)
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
