import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdRequest } from '../support/held-request.ts'
import { onEachDatabase } from '../support/service.ts'
import { madeUser, userWithRole } from '../support/staff.ts'
import { administrator, newEmail, owner, PASSWORD, type TestUser } from '../support/users.ts'

onEachDatabase('A request whose body was held back', (service) => {
  const hold = ({ token }: Pick<TestUser, 'token'>, path: string, body: unknown) =>
    holdRequest(service().baseUrl, path, body, { authorization: `Bearer ${token}` })

  test('does nothing for who was demoted, banned, removed or signed out concurrently', async () => {
    const admin = await administrator(service())
    const endings: [string, object, RegExp][] = [
      ['set-role', { role: 'user' }, /^HTTP\/1\.1 403 /],
      ['ban-user', {}, /^HTTP\/1\.1 401 /],
      ['remove-user', {}, /^HTTP\/1\.1 401 /],
      ['revoke-user-sessions', {}, /^HTTP\/1\.1 401 /],
    ]
    for (const [ending, body, expected] of endings) {
      const other = await userWithRole(service(), admin, 'admin')
      const email = newEmail()
      const user = { email, name: 'Eve Evil', password: PASSWORD, role: 'admin', data: { emailVerified: true } }
      const held = await hold(other, '/api/auth/admin/create-user', user)
      assert.equal((await admin.client.post(`/api/auth/admin/${ending}`, { userId: other.id, ...body })).status, 200)
      assert.match(await held.release(), expected, ending)
      const found = await admin.client.get(`/api/auth/admin/list-users?filterValue=${encodeURIComponent(email)}`)
      assert.equal(found.body.total, 0)
    }
  })

  test('does nothing for who was banned, wherever it goes', async () => {
    const admin = await administrator(service())
    for (const [path, body] of [
      ['/api/auth/update-user', { name: 'Somebody Else' }],
      ['/api/auth/change-password', { currentPassword: PASSWORD, newPassword: `${PASSWORD} anew` }],
      ['/api/auth/organization/create', { name: 'Later', slug: newEmail().replace(/[^a-z0-9]/g, '-') }],
    ] as const) {
      const user = await userWithRole(service(), admin)
      const held = await hold(user, path, body)
      await admin.client.post('/api/auth/admin/ban-user', { userId: user.id })
      assert.match(await held.release(), /^HTTP\/1\.1 401 [\s\S]*"UNAUTHORIZED"/, path)
    }
  })

  test('does nothing for a member who lost their role concurrently', async () => {
    const { client, organization, ...first } = await owner(service())
    const held = await hold(first, '/api/auth/organization/update', { data: { name: 'Renamed' } })
    await client.post('/api/auth/organization/delete', { organizationId: organization.id })
    assert.match(await held.release(), /^HTTP\/1\.1 40[0-4] /)
  })

  test('does nothing for staff who no longer act as somebody', async () => {
    const admin = await administrator(service())
    const userId = await madeUser(admin, { name: 'Paula Person' })
    const acting = service().client()
    const { body } = await admin.client.post('/api/auth/admin/impersonate-user', { userId })
    const token = body.session.token
    const held = await hold({ token }, '/api/auth/update-user', { name: 'Somebody Else' })
    const bearer = { headers: { authorization: `Bearer ${token}` } }
    assert.equal((await acting.post('/api/auth/admin/stop-impersonating', {}, bearer)).status, 200)
    assert.match(await held.release(), /^HTTP\/1\.1 401 /)
  })

  test('is done for who is still who they were', async () => {
    const user = await userWithRole(service(), await administrator(service()))
    const held = await hold(user, '/api/auth/update-user', { name: 'Somebody Else' })
    assert.match(await held.release(), /^HTTP\/1\.1 200 /)
    assert.equal((await user.client.get('/api/auth/get-session')).body.user.name, 'Somebody Else')
  })
})
