import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase, type Service } from '../../../../test/support/service.ts'
import { administer, userWithRole } from '../../../../test/support/staff.ts'
import { administrator, PASSWORD, signedIn, type TestUser } from '../../../../test/support/users.ts'
import type { ServiceRole } from '../../../platform/database/tables.ts'

onEachDatabase('list-user-sessions and revoke-user-session', (service) => {
  test('list-user-sessions returns handles that authenticate nothing, by which sessions are revoked', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const second = await signedIn(service(), user.email)
    const { body } = await administer(admin, 'list-user-sessions', { userId: user.id })
    assert.equal(body.sessions.length, 2)
    for (const { token } of body.sessions) {
      assert.ok(token !== user.token && token !== second.token)
      assert.equal((await asBearer(service(), token)).body, null)
    }
    await administer(admin, 'revoke-user-session', { sessionToken: body.sessions[0].token })
    assert.equal((await second.client.get('/api/auth/get-session')).body, null)
    assert.equal((await user.client.get('/api/auth/get-session')).body.user.id, user.id)
    await administer(admin, 'revoke-user-session', { sessionToken: user.token })
    assert.equal((await user.client.get('/api/auth/get-session')).body, null)
    const third = await signedIn(service(), user.email)
    await administer(admin, 'revoke-user-sessions', { userId: user.id })
    assert.equal((await third.client.get('/api/auth/get-session')).body, null)
    const own = await administer(admin, 'list-user-sessions', { userId: admin.id })
    assert.ok(own.body.sessions.some(({ token }: { token: string }) => token === admin.token))
  })

  test('list-user-sessions shows support no network of an administrator who impersonates the user', async () => {
    const admin = await administrator(service())
    const support = await userWithRole(service(), admin, 'support')
    const { id: userId } = await userWithRole(service(), admin)
    const other = await userWithRole(service(), admin, 'admin')
    assert.equal((await administer(other, 'impersonate-user', { userId })).status, 200)
    const networks = async (staff: TestUser) => {
      const { sessions } = (await administer(staff, 'list-user-sessions', { userId })).body
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

  test('list-user-sessions shows support no network and no browser of a session that began while the user was staff', async () => {
    const admin = await administrator(service())
    const support = await userWithRole(service(), admin, 'support')
    const former = await userWithRole(service(), admin, 'admin')
    service().advance(1_000)
    await administer(admin, 'set-role', { userId: former.id, role: 'user' })
    service().advance(1_000)
    const { client } = await signedIn(service(), former.email)
    const list = async (staff: TestUser) => {
      const { sessions } = (await administer(staff, 'list-user-sessions', { userId: former.id })).body
      const seen = sessions.map(({ ipAddress, userAgent }: Record<string, string | null>) => [ipAddress, userAgent])
      return new Map(seen)
    }
    const shown = await list(admin)
    assert.deepEqual([...shown.keys()].toSorted(), [former.client.address, client.address].toSorted())
    assert.deepEqual(
      await list(support),
      new Map([
        [client.address, shown.get(client.address)],
        [null, null],
      ]),
    )
  })

  test('list-user-sessions shows support no network of a password change as staff in a session that began before', async () => {
    const admin = await administrator(service())
    const support = await userWithRole(service(), admin, 'support')
    const { id: userId, client, email } = await userWithRole(service(), admin)
    const step = async (role: ServiceRole) => {
      service().advance(1_000)
      await administer(admin, 'set-role', { userId, role })
      service().advance(1_000)
    }
    await step('support')
    const change = { currentPassword: PASSWORD, newPassword: 'another fine long password' }
    assert.equal((await client.post('/api/auth/change-password', change)).status, 200)
    await step('user')
    await signedIn(service(), email, change.newPassword)
    const list = async (staff: TestUser) => {
      const { sessions } = (await administer(staff, 'list-user-sessions', { userId })).body
      return sessions.map(({ ipAddress, userAgent }: Record<string, string | null>) => [ipAddress, userAgent])
    }
    const [later, former] = await list(admin)
    assert.equal(former[0], client.address)
    assert.deepEqual(await list(support), [later, [null, null]])
  })

  test('An impersonated session is in list-user-sessions, but not in list-sessions of the user', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    await administer(admin, 'impersonate-user', { userId: user.id })
    assert.equal((await user.client.get('/api/auth/list-sessions')).body.length, 1)
    const other = await administrator(service())
    const { body } = await administer(other, 'list-user-sessions', { userId: user.id })
    assert.deepEqual(
      body.sessions.map((session: { impersonatedBy: string | null }) => session.impersonatedBy),
      [admin.id, null],
    )
  })
})

function asBearer(service: Service, token: string) {
  return service.client().get('/api/auth/get-session', { headers: { authorization: `Bearer ${token}` } })
}
