import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { ServiceRole } from '../../server/platform/database/tables.ts'
import { randomLetters } from '../support/random-letters.ts'
import { onEachDatabase, type Service } from '../support/service.ts'
import { userWithRole } from '../support/staff.ts'
import { administrator, newEmail, newUser, PASSWORD, signedIn, type TestUser } from '../support/users.ts'

const STAFF_ROUTES = '/api/auth/admin/'

type Target = ServiceRole | 'self'
/** `ok` or the error code. */
type Row = Record<Target, string>

const ALL_ALLOWED: Row = { user: 'ok', support: 'ok', admin: 'ok', self: 'ok' }
const ALL_FORBIDDEN: Row = { user: 'FORBIDDEN', support: 'FORBIDDEN', admin: 'FORBIDDEN', self: 'FORBIDDEN' }
const USERS_ONLY: Row = { user: 'ok', support: 'STAFF_IS_FOR_ADMINS', admin: 'STAFF_IS_FOR_ADMINS', self: 'ok' }

interface Operation {
  call: (caller: TestUser, targetId: string, service: Service) => Promise<{ status: number; body: { code?: string } }>
  support: Row
  admin: Row
}

const post =
  (path: string, more: Record<string, unknown> = {}): Operation['call'] =>
  (caller, userId) =>
    caller.client.post(`/api/auth/admin/${path}`, { userId, ...more })

/** Every staff route with a target user: the result by caller role and target role. Users are always refused. */
const TABLE: Record<string, Operation> = {
  'get-user': {
    call: (caller, id) => caller.client.get(`/api/auth/admin/get-user?id=${id}`),
    support: ALL_ALLOWED,
    admin: ALL_ALLOWED,
  },
  'list-user-events': {
    call: (caller, id) => caller.client.get(`/api/auth/admin/list-user-events?userId=${id}`),
    support: USERS_ONLY,
    admin: ALL_ALLOWED,
  },
  'list-user-apps': {
    call: (caller, id) => caller.client.get(`/api/auth/admin/list-user-apps?userId=${id}`),
    support: USERS_ONLY,
    admin: ALL_ALLOWED,
  },
  'list-user-emails': {
    call: (caller, id) => caller.client.get(`/api/auth/admin/list-user-emails?userId=${id}`),
    support: ALL_ALLOWED,
    admin: ALL_ALLOWED,
  },
  'list-user-memberships': {
    call: (caller, id) => caller.client.get(`/api/auth/admin/list-user-memberships?userId=${id}`),
    support: ALL_ALLOWED,
    admin: ALL_ALLOWED,
  },
  'get-sign-in-status': {
    call: (caller, id) => caller.client.get(`/api/auth/admin/get-sign-in-status?userId=${id}`),
    support: USERS_ONLY,
    admin: ALL_ALLOWED,
  },
  'list-user-sessions': { call: post('list-user-sessions'), support: USERS_ONLY, admin: ALL_ALLOWED },
  'revoke-user-session': {
    call: async (caller, id, service) => {
      const session = await service.context.database
        .selectFrom('sessions')
        .select('id')
        .where('userId', '=', id)
        .executeTakeFirstOrThrow()
      return caller.client.post('/api/auth/admin/revoke-user-session', { sessionToken: session.id })
    },
    support: USERS_ONLY,
    admin: ALL_ALLOWED,
  },
  'revoke-user-sessions': { call: post('revoke-user-sessions'), support: USERS_ONLY, admin: ALL_ALLOWED },
  'ban-user': {
    call: post('ban-user', { banReason: 'for the table' }),
    support: { ...USERS_ONLY, self: 'YOU_CANNOT_BAN_YOURSELF' },
    admin: { ...ALL_ALLOWED, self: 'YOU_CANNOT_BAN_YOURSELF' },
  },
  'unban-user': {
    call: post('unban-user'),
    support: { ...USERS_ONLY, self: 'YOU_CANNOT_BAN_YOURSELF' },
    admin: { ...ALL_ALLOWED, self: 'YOU_CANNOT_BAN_YOURSELF' },
  },
  'set-role': {
    call: post('set-role', { role: 'user' }),
    support: ALL_FORBIDDEN,
    admin: { ...ALL_ALLOWED, self: 'YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE' },
  },
  'set-user-password': {
    call: post('set-user-password', { newPassword: `${PASSWORD} anew` }),
    support: ALL_FORBIDDEN,
    admin: { ...ALL_ALLOWED, self: 'YOU_ARE_NOT_ALLOWED_TO_SET_USERS_PASSWORD' },
  },
  'send-password-link': { call: post('send-password-link'), support: ALL_FORBIDDEN, admin: ALL_ALLOWED },
  // No target has two-step verification, so a permitted call fails with this error.
  'reset-two-factor': {
    call: post('reset-two-factor', { reason: 'for the table' }),
    support: ALL_FORBIDDEN,
    admin: {
      user: 'TWO_FACTOR_NOT_ENABLED',
      support: 'TWO_FACTOR_NOT_ENABLED',
      admin: 'TWO_FACTOR_NOT_ENABLED',
      self: 'YOU_CANNOT_RESET_YOUR_OWN_TWO_FACTOR',
    },
  },
  'update-user, name': {
    call: post('update-user', { data: { name: 'Nia New' } }),
    support: ALL_FORBIDDEN,
    admin: ALL_ALLOWED,
  },
  'update-user, address': {
    call: post('update-user', { data: { emailVerified: true } }),
    support: ALL_FORBIDDEN,
    admin: { ...ALL_ALLOWED, self: 'YOU_ARE_NOT_ALLOWED_TO_SET_USERS_EMAIL' },
  },
  'impersonate-user': {
    call: post('impersonate-user'),
    support: ALL_FORBIDDEN,
    admin: {
      user: 'ok',
      support: 'YOU_CANNOT_IMPERSONATE_ADMINS',
      admin: 'YOU_CANNOT_IMPERSONATE_ADMINS',
      self: 'YOU_CANNOT_IMPERSONATE_ADMINS',
    },
  },
  'remove-user': {
    call: post('remove-user'),
    support: ALL_FORBIDDEN,
    admin: { ...ALL_ALLOWED, self: 'YOU_CANNOT_REMOVE_YOURSELF' },
  },
}

/** Staff routes without a target user. */
const WITHOUT_TARGET: Record<
  string,
  { call: (caller: TestUser) => ReturnType<Operation['call']>; support: string; admin: string }
> = {
  'list-users': { call: ({ client }) => client.get('/api/auth/admin/list-users'), support: 'ok', admin: 'ok' },
  'list-audit-events': {
    call: ({ client }) => client.get('/api/auth/admin/list-audit-events'),
    support: 'FORBIDDEN',
    admin: 'ok',
  },
  'list-organizations': {
    call: ({ client }) => client.get('/api/auth/admin/list-organizations'),
    support: 'ok',
    admin: 'ok',
  },
  'get-organization': {
    call: ({ client }) => client.get('/api/auth/admin/get-organization?id=org_unknown'),
    support: 'ORGANIZATION_NOT_FOUND',
    admin: 'ORGANIZATION_NOT_FOUND',
  },
  'create-organization': {
    call: ({ client }) =>
      client.post('/api/auth/admin/create-organization', {
        name: 'Works',
        slug: `works-${randomLetters()}`,
        ownerEmail: 'owner@example.com',
      }),
    support: 'FORBIDDEN',
    admin: 'ok',
  },
  'invite-owner': {
    call: ({ client }) =>
      client.post('/api/auth/admin/invite-owner', { organizationId: 'org_unknown', ownerEmail: 'owner@example.com' }),
    support: 'FORBIDDEN',
    admin: 'ORGANIZATION_NOT_FOUND',
  },
  'list-organization-members': {
    call: ({ client }) => client.get('/api/auth/admin/list-organization-members?organizationId=org_unknown'),
    support: 'ORGANIZATION_NOT_FOUND',
    admin: 'ORGANIZATION_NOT_FOUND',
  },
  'list-invitations': {
    call: ({ client }) => client.get('/api/auth/admin/list-invitations'),
    support: 'ok',
    admin: 'ok',
  },
  'list-emails': { call: ({ client }) => client.get('/api/auth/admin/list-emails'), support: 'ok', admin: 'ok' },
  statistics: { call: ({ client }) => client.get('/api/auth/admin/statistics'), support: 'ok', admin: 'ok' },
  'get-system': { call: ({ client }) => client.get('/api/auth/admin/get-system'), support: 'FORBIDDEN', admin: 'ok' },
  'list-throttles': { call: ({ client }) => client.get('/api/auth/admin/list-throttles'), support: 'ok', admin: 'ok' },
  'clear-throttle': {
    call: ({ client }) => client.post('/api/auth/admin/clear-throttle', { key: 'change user usr_none' }),
    support: 'FORBIDDEN',
    admin: 'ok',
  },
  'send-test-email': {
    call: ({ client }) => client.post('/api/auth/admin/send-test-email'),
    support: 'FORBIDDEN',
    admin: 'ok',
  },
  'retry-email': {
    call: ({ client }) => client.post('/api/auth/admin/retry-email', { emailId: 'eml_unknown' }),
    support: 'FORBIDDEN',
    admin: 'EMAIL_NOT_FOUND',
  },
  'create-user': {
    call: ({ client }) =>
      client.post('/api/auth/admin/create-user', {
        email: newEmail(),
        name: 'New',
      }),
    support: 'FORBIDDEN',
    admin: 'ok',
  },
}

/** Their own tests try them: one is about the caller, and the other one needs an impersonated session. */
const WITHOUT_ROW = ['has-permission', 'stop-impersonating']

onEachDatabase('Staff permissions by role', (service) => {
  const callers = new Map<ServiceRole, TestUser>()
  const targets = new Map<ServiceRole, TestUser>()

  async function getUser(users: Map<ServiceRole, TestUser>, role: ServiceRole): Promise<TestUser> {
    const testUser = users.get(role) ?? (await userWithRole(service(), await administrator(service()), role))
    users.set(role, testUser)
    return testUser
  }

  for (const callerRole of ['user', 'support', 'admin'] as const) {
    for (const [name, operation] of Object.entries(TABLE)) {
      const row = callerRole === 'user' ? ALL_FORBIDDEN : operation[callerRole]
      for (const targetRole of ['user', 'support', 'admin', 'self'] as const) {
        test(`CVE-2026-16106: ${name} by role ${callerRole} on ${targetRole} returns ${row[targetRole]}`, async () => {
          const caller = await getUser(callers, callerRole)
          const target = targetRole === 'self' ? caller : await getUser(targets, targetRole)
          const before = await service()
            .context.database.selectFrom('users')
            .selectAll()
            .where('id', '=', target.id)
            .executeTakeFirst()
          const answer = await operation.call(caller, target.id, service())
          assert.equal(answer.status === 200 ? 'ok' : answer.body.code, row[targetRole], JSON.stringify(answer.body))
          if (answer.status === 200) {
            // The call has changed this user.
            if (targetRole === 'self' || name === 'impersonate-user') callers.delete(callerRole)
            else targets.delete(targetRole)
            return
          }
          const after = await service()
            .context.database.selectFrom('users')
            .selectAll()
            .where('id', '=', target.id)
            .executeTakeFirst()
          assert.deepEqual(after, before)
          assert.equal((await target.client.get('/api/auth/get-session')).body?.user.id, target.id)
        })
      }
    }
    for (const [name, { call, ...expected }] of Object.entries(WITHOUT_TARGET)) {
      const wanted = callerRole === 'user' ? 'FORBIDDEN' : expected[callerRole]
      test(`${name} by role ${callerRole} returns ${wanted}`, async () => {
        const answer = await call(await getUser(callers, callerRole))
        assert.equal(answer.status === 200 ? 'ok' : answer.body.code, wanted)
      })
    }
  }

  test('Every staff route has a row in this table, except has-permission and stop-impersonating', () => {
    const routes = service().routes.filter(({ url, method }) => url.startsWith(STAFF_ROUTES) && method !== 'HEAD')
    const rows = [...Object.keys(TABLE), ...Object.keys(WITHOUT_TARGET)].map((name) => name.replace(/, .*/, ''))
    assert.deepEqual(
      routes.map(({ url }) => url.slice(STAFF_ROUTES.length)).toSorted(),
      [...new Set([...rows, ...WITHOUT_ROW])].toSorted(),
    )
  })

  test('Staff routes return 404 to staff and 403 to users when the target does not exist', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    for (const [name, { call }] of Object.entries(TABLE)) {
      if (name === 'revoke-user-session') continue
      const answer = await call(admin, 'usr_unknown', service())
      assert.equal(answer.body.code, 'USER_NOT_FOUND', name)
      assert.equal(answer.status, 404)
      assert.equal((await call(user, 'usr_unknown', service())).status, 403)
    }
    const unknown = await admin.client.post('/api/auth/admin/revoke-user-session', { sessionToken: 'ses_nothing' })
    assert.equal(unknown.status, 404)
    assert.equal(unknown.body.code, 'SESSION_NOT_FOUND')
    assert.match(unknown.body.message, /^There is no such session, or it has ended/)
  })

  test('has-permission returns the permissions that the role of the caller grants', async () => {
    const admin = await administrator(service())
    const isGranted = async (testUser: TestUser, permissions: unknown) => {
      const { status, body } = await testUser.client.post('/api/auth/admin/has-permission', { permissions })
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(body.error === '', body.success, JSON.stringify(body))
      return body.success
    }
    const support = await userWithRole(service(), admin, 'support')
    const user = await userWithRole(service(), admin)
    const documented = await documentedPermissions()
    assert.ok(Object.keys(documented).length > 2)
    assert.equal(await isGranted(admin, documented), true)
    assert.equal(await isGranted(admin, { user: ['create', 'delete', 'set-role'], session: ['revoke'] }), true)
    assert.equal(await isGranted(support, { user: ['ban', 'list'], session: ['list', 'revoke'] }), true)
    assert.equal(await isGranted(support, { user: ['ban', 'delete'] }), false)
    assert.equal(await isGranted(user, { user: ['list'] }), false)
    assert.equal(await isGranted(admin, { user: ['fly'] }), false)
    assert.equal(await isGranted(admin, { toString: ['call'] }), false)
    for (const permissions of [
      undefined,
      null,
      'user',
      ['user'],
      { user: 'ban' },
      { user: [1] },
      { 'user.ban': ['x'] },
      // An empty list would be granted to every role.
      {},
      { user: [] },
      { user: ['list'], session: [] },
    ]) {
      const answer = await admin.client.post('/api/auth/admin/has-permission', { permissions })
      assert.equal(answer.status, 400, JSON.stringify(permissions))
      assert.match(answer.body.field, /^permissions/)
    }
  })

  test('has-permission lists the missing permissions in its field error', async () => {
    const admin = await administrator(service())
    const support = await userWithRole(service(), admin, 'support')
    const permissions = { user: ['list', 'delete', 'set-role'], session: ['revoke'], audit: ['list'] }
    const { body } = await support.client.post('/api/auth/admin/has-permission', { permissions })
    assert.deepEqual(body, { error: 'user: delete, set-role; audit: list', success: false })
  })

  test('has-permission checks the named role or user instead of the caller', async () => {
    const admin = await administrator(service())
    const support = await userWithRole(service(), admin, 'support')
    const user = await userWithRole(service(), admin)
    const check = async (testUser: TestUser, named: Record<string, unknown>) => {
      const permissions = { user: ['ban'] }
      const { status, body } = await testUser.client.post('/api/auth/admin/has-permission', { permissions, ...named })
      return status === 200 ? body.success : [status, body.code]
    }
    assert.equal(await check(user, { role: 'support' }), true)
    assert.equal(await check(admin, { role: ['user'] }), false)
    assert.equal(await check(admin, { userId: support.id }), true)
    assert.equal(await check(support, { userId: user.id }), false)
    assert.equal(await check(user, { userId: user.id }), false)
    assert.deepEqual(await check(user, { userId: admin.id }), [403, 'FORBIDDEN'])
    assert.deepEqual(await check(user, { userId: 'usr_none' }), [403, 'FORBIDDEN'])
    assert.deepEqual(await check(admin, { userId: 'usr_none' }), [404, 'USER_NOT_FOUND'])
    assert.deepEqual(await check(admin, { role: 'owner' }), [400, 'YOU_ARE_NOT_ALLOWED_TO_SET_NON_EXISTENT_VALUE'])
    assert.deepEqual(await check(admin, { role: ['user', 'admin'] }), [400, 'VALIDATION_ERROR'])
    assert.deepEqual(await check(admin, { role: 'user', userId: user.id }), [400, 'VALIDATION_ERROR'])
    await service()
      .context.database.updateTable('users')
      .set({ emailVerified: 0 })
      .where('id', '=', support.id)
      .execute()
    assert.deepEqual(await check(support, { userId: user.id }), [403, 'EMAIL_NOT_VERIFIED'])
    assert.equal(await check(support, { userId: support.id }), true, 'of the caller it tells what get-session shows')
  })

  test('Staff routes that change users return 403 SESSION_NOT_FRESH for a session that is not fresh', async () => {
    const admin = await administrator(service())
    const target = await newUser(service())
    const { client } = await signedIn(service(), admin.email)
    service().advance(16 * 60_000)
    // The sessions of the other tests are no longer fresh either.
    callers.clear()
    const needsFresh = {
      'create-user': { email: 'late@example.com', name: 'Late' },
      'set-role': { userId: target, role: 'admin' },
      'set-user-password': { userId: target, newPassword: PASSWORD },
      'update-user': { userId: target, data: { name: 'Late' } },
      'impersonate-user': { userId: target },
      'remove-user': { userId: target },
      'send-password-link': { userId: target },
      'reset-two-factor': { userId: target, reason: 'Late' },
      'send-test-email': {},
      'clear-throttle': { key: 'change user usr_none' },
    }
    for (const [path, body] of Object.entries(needsFresh)) {
      const answer = await client.post(`/api/auth/admin/${path}`, body)
      assert.equal(answer.status, 403, path)
      assert.equal(answer.body.code, 'SESSION_NOT_FRESH', path)
    }
    for (const path of ['ban-user', 'unban-user', 'revoke-user-sessions'])
      assert.equal((await client.post(`/api/auth/admin/${path}`, { userId: target })).status, 200, path)
  })
})

/** Parses the table in docs/staff.md. */
async function documentedPermissions(): Promise<Record<string, string[]>> {
  const page = await readFile(new URL('../../docs/staff.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^ {2}\| `(\w+)` +\| (.*) \|$/gm)]
  return Object.fromEntries(
    rows.map(([, resource = '', actions = '']) => [
      resource,
      [...actions.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name),
    ]),
  )
}
