import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearerClient } from '../support/bearer-client.ts'
import { holdRequest } from '../support/held-request.ts'
import { secondProcess } from '../support/second-process.ts'
import { onEachDatabase } from '../support/service.ts'
import { userWithRole } from '../support/staff.ts'
import {
  administrator,
  administratorWithOrganization,
  newEmail,
  newUser,
  PASSWORD,
  type TestUser,
} from '../support/users.ts'

onEachDatabase('A request with a delayed body', (service) => {
  const hold = ({ token }: Pick<TestUser, 'token'>, path: string, body: unknown) =>
    holdRequest(service().baseUrl, path, body, { authorization: `Bearer ${token}` })

  const getSecond = secondProcess(service)

  test('create-user with a delayed body is refused when its caller is demoted, banned, removed or signed out before the body arrives', async () => {
    const admin = await administrator(service())
    const actions: [string, object, RegExp][] = [
      ['set-role', { role: 'user' }, /^HTTP\/1\.1 403 /],
      ['ban-user', {}, /^HTTP\/1\.1 401 /],
      ['remove-user', {}, /^HTTP\/1\.1 401 /],
      ['revoke-user-sessions', {}, /^HTTP\/1\.1 401 /],
    ]
    for (const [action, body, expected] of actions) {
      const other = await userWithRole(service(), admin, 'admin')
      const email = newEmail()
      const user = { email, name: 'Eve Evil', password: PASSWORD, role: 'admin', data: { emailVerified: true } }
      const held = await hold(other, '/api/auth/admin/create-user', user)
      assert.equal((await admin.client.post(`/api/auth/admin/${action}`, { userId: other.id, ...body })).status, 200)
      assert.match(await held.release(), expected, action)
      const found = await admin.client.get(`/api/auth/admin/list-users?filterValue=${encodeURIComponent(email)}`)
      assert.equal(found.body.total, 0)
    }
  })

  test('list-user-sessions with a delayed body is refused when staff lose their role or verified address before the body arrives', async () => {
    const admin = await administrator(service())
    for (const [change, code] of [
      [{ role: 'user' }, 'FORBIDDEN'],
      [{ emailVerified: 0 }, 'EMAIL_NOT_VERIFIED'],
    ] as const) {
      const other = await userWithRole(service(), admin, 'support')
      const held = await hold(other, '/api/auth/admin/list-user-sessions', { userId: admin.id })
      await service().context.database.updateTable('users').set(change).where('id', '=', other.id).execute()
      assert.match(await held.release(), new RegExp(`^HTTP/1\\.1 403 [\\s\\S]*"${code}"`))
    }
  })

  test('A request with a delayed body returns 401 UNAUTHORIZED on any route when its caller is banned before the body arrives', async () => {
    const admin = await administrator(service())
    for (const [path, body] of [
      ['/api/auth/update-user', { name: 'Another Name' }],
      ['/api/auth/change-password', { currentPassword: PASSWORD, newPassword: `${PASSWORD} anew` }],
      ['/api/auth/organization/create', { name: 'Later', slug: newEmail().replace(/[^a-z0-9]/g, '-') }],
    ] as const) {
      const user = await userWithRole(service(), admin)
      const held = await hold(user, path, body)
      await admin.client.post('/api/auth/admin/ban-user', { userId: user.id })
      assert.match(await held.release(), /^HTTP\/1\.1 401 [\s\S]*"UNAUTHORIZED"/, path)
    }
  })

  test('organization/update with a delayed body is refused when the organization is deleted before the body arrives', async () => {
    const { client, organization, ...first } = await administratorWithOrganization(service())
    const held = await hold(first, '/api/auth/organization/update', { data: { name: 'Renamed' } })
    await client.post('/api/auth/organization/delete', { organizationId: organization.id })
    assert.match(await held.release(), /^HTTP\/1\.1 400 [\s\S]*"NO_ACTIVE_ORGANIZATION"/)
  })

  test('A request with a delayed body is refused when its impersonation ends before the body arrives', async () => {
    const admin = await administrator(service())
    const userId = await newUser(service(), { name: 'Paula Parker' })
    const impersonator = service().client()
    const { body } = await admin.client.post('/api/auth/admin/impersonate-user', { userId })
    const token = body.session.token
    const held = await hold({ token }, '/api/auth/update-user', { name: 'Another Name' })
    const bearer = { headers: { authorization: `Bearer ${token}` } }
    assert.equal((await impersonator.post('/api/auth/admin/stop-impersonating', {}, bearer)).status, 200)
    assert.match(await held.release(), /^HTTP\/1\.1 401 /)
  })

  test('A request with a delayed body has no session when another process has revoked it before the body arrives', async () => {
    const admin = await administrator(service())
    const second = await getSecond()
    for (const [path, body, expected] of [
      ['/api/auth/update-user', { name: 'Another Name' }, /^HTTP\/1\.1 401 /],
      // No transaction of this route looks the session up again.
      ['/api/auth/get-session', {}, /^HTTP\/1\.1 200 [\s\S]*\r\n\r\nnull$/],
    ] as const) {
      const user = await userWithRole(service(), admin)
      for (let count = 0; count < 2; count += 1) await user.client.get('/api/auth/get-session')
      const held = await hold(user, path, body)
      assert.equal((await bearerClient(second, user).post('/api/auth/sign-out')).status, 200)
      assert.match(await held.release(), expected, path)
    }
  })

  test('A request with a delayed body succeeds when its session stays live', async () => {
    const user = await userWithRole(service(), await administrator(service()))
    const held = await hold(user, '/api/auth/update-user', { name: 'Another Name' })
    assert.match(await held.release(), /^HTTP\/1\.1 200 /)
    assert.equal((await user.client.get('/api/auth/get-session')).body.user.name, 'Another Name')
  })
})
