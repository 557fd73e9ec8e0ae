import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase, type Service } from '../../../../test/support/service.ts'
import { userWithRole } from '../../../../test/support/staff.ts'
import {
  administrator,
  administratorWithOrganization,
  signedIn,
  type TestUser,
} from '../../../../test/support/users.ts'

const MINUTE = 60_000

onEachDatabase('Impersonation', (service) => {
  test('impersonate-user returns a session of the user for an hour, and stop-impersonating the staff session', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const started = await impersonate(admin, user, 'ticket 4711')
    assert.equal(started.body.user.id, user.id)
    assert.equal(started.body.session.userId, user.id)
    assert.equal(started.body.session.impersonatedBy, admin.id)
    assert.equal(started.headers.get('set-auth-token'), started.body.session.token)
    const lifetime = Date.parse(started.body.session.expiresAt) - Date.parse(started.body.session.createdAt)
    assert.equal(lifetime, 60 * MINUTE)
    const seen = await admin.client.get('/api/auth/get-session')
    assert.equal(seen.body.user.id, user.id)
    assert.equal(seen.body.session.impersonatedBy, admin.id)
    const listed = (await user.client.get('/api/auth/list-sessions')).body as { token: string }[]
    assert.deepEqual(
      listed.map(({ token }) => token),
      [user.token],
      'list-sessions shows the user no network of staff',
    )

    const stopped = await admin.client.post('/api/auth/admin/stop-impersonating')
    assert.equal(stopped.status, 200)
    assert.equal(typeof stopped.body.message, 'string')
    assert.equal(stopped.body.user.id, admin.id)
    assert.equal(stopped.body.session.token, admin.token)
    assert.equal((await admin.client.get('/api/auth/get-session')).body.user.id, admin.id)
    assert.equal(await whoIs(service(), started.body.session.token), null)
    assert.equal(await whoIs(service(), admin.token), admin.id)
  })

  test('Impersonation by bearer token leaves the own token of staff valid', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
    const asAdmin = service().client()
    const started = await asAdmin.post('/api/auth/admin/impersonate-user', { userId: user.id }, bearer(admin.token))
    const token = started.headers.get('set-auth-token') ?? ''
    assert.equal(await whoIs(service(), token), user.id)
    assert.equal(await whoIs(service(), admin.token), admin.id)
    const stopped = await service().client().post('/api/auth/admin/stop-impersonating', {}, bearer(token))
    assert.equal(stopped.headers.get('set-auth-token'), admin.token)
    assert.equal(await whoIs(service(), admin.token), admin.id)
    assert.equal(await whoIs(service(), token), null)
  })

  test('An impersonated session ends when the email address of the impersonator becomes unverified', async () => {
    const admin = await administrator(service())
    const other = await userWithRole(service(), admin, 'admin')
    const started = await impersonate(other, await userWithRole(service(), admin), 'ticket 4711')
    const change = { userId: other.id, data: { emailVerified: false } }
    assert.equal((await admin.client.post('/api/auth/admin/update-user', change)).status, 200)
    assert.equal(await whoIs(service(), started.body.session.token), null)
  })

  test('An impersonated session expires after an hour of use, and the database has no credential of it', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const { body } = await impersonate(admin, user)
    const rows = await service().context.database.selectFrom('sessions').selectAll().execute()
    const dump = JSON.stringify(rows)
    // An impersonated session is never fresh.
    assert.equal(rows.find(({ id }) => id === body.session.id)?.authenticatedAt, 0)
    assert.ok(!dump.includes(admin.token) && !dump.includes(body.session.token))
    service().advance(59 * MINUTE)
    assert.equal(await whoIs(service(), body.session.token), user.id)
    service().advance(MINUTE)
    assert.equal(await whoIs(service(), body.session.token), null)
  })

  test('An impersonated session of a clock that was a day ahead ends when the clock is right again', async () => {
    service().advance(24 * 60 * MINUTE)
    const admin = await administrator(service())
    const { body } = await impersonate(admin, await userWithRole(service(), admin))
    assert.equal(await whoIs(service(), body.session.token), body.user.id)
    service().advance(-24 * 60 * MINUTE)
    assert.equal(await whoIs(service(), body.session.token), null)
    assert.equal(await whoIs(service(), admin.token), admin.id)
  })

  test('Better Auth #6454, CVE-2024-55225: impersonate-user refuses staff, banned users and impersonators', async () => {
    const admin = await administrator(service())
    const [user, other] = [await userWithRole(service(), admin), await userWithRole(service(), admin)]
    for (const role of ['support', 'admin'] as const) {
      const staff = await userWithRole(service(), admin, role)
      const answer = await admin.client.post('/api/auth/admin/impersonate-user', { userId: staff.id })
      assert.equal(answer.status, 403)
      assert.equal(answer.body.code, 'YOU_CANNOT_IMPERSONATE_ADMINS')
    }
    await admin.client.post('/api/auth/admin/ban-user', { userId: other.id })
    const banned = await admin.client.post('/api/auth/admin/impersonate-user', { userId: other.id })
    assert.equal(banned.body.code, 'BANNED_USER')
    await impersonate(admin, user)
    const again = await admin.client.post('/api/auth/admin/impersonate-user', { userId: other.id })
    assert.equal(again.status, 403)
    assert.equal(again.body.code, 'IMPERSONATION_NOT_ALLOWED')
  })

  test('The audit log has impersonations with their reason, and the user can list them', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    await impersonate(admin, user, 'ticket 4711')
    const { session } = (await admin.client.get('/api/auth/get-session')).body
    assert.equal(session.impersonationReason, 'ticket 4711')
    const forged = await admin.client.post('/api/auth/update-session', { impersonationReason: 'none' })
    assert.equal(forged.body.code, 'FIELD_NOT_ALLOWED')
    const { body: organization } = await administratorWithOrganization(service()).then((testUser) => ({
      body: testUser.organization,
    }))
    assert.ok(organization)
    assert.equal((await admin.client.get('/api/auth/list-impersonations')).body.code, 'IMPERSONATION_NOT_ALLOWED')
    await admin.client.post('/api/auth/admin/stop-impersonating')
    const { body } = await admin.client.get(`/api/auth/admin/list-audit-events?subjectId=${user.id}`)
    const [ended, started] = body.events
    assert.equal(ended.action, 'impersonation.ended')
    assert.equal(ended.actorId, admin.id)
    assert.equal(started.action, 'impersonation.started')
    assert.equal(started.actorId, admin.id)
    assert.equal(started.details.reason, 'ticket 4711')

    const shown = await user.client.get('/api/auth/list-impersonations')
    assert.equal(shown.body.length, 1)
    assert.equal(shown.body[0].impersonatedBy, admin.id)
    assert.equal(shown.body[0].impersonatedByName, 'Ada Admin')
    assert.equal(shown.body[0].startedAt, started.createdAt)
    assert.equal(shown.body[0].endedAt, ended.createdAt)
    assert.ok(!JSON.stringify(shown.body).includes('4711'))
  })

  test('Impersonation ends when staff are banned, demoted, removed or signed out, or the user becomes staff', async () => {
    const admin = await administrator(service())
    const endings: Record<string, (staff: TestUser, user: TestUser) => Promise<unknown>> = {
      banned: (staff) => admin.client.post('/api/auth/admin/ban-user', { userId: staff.id }),
      demoted: (staff) => admin.client.post('/api/auth/admin/set-role', { userId: staff.id, role: 'support' }),
      'demoted for a moment': async (staff) => {
        for (const role of ['support', 'admin'])
          await admin.client.post('/api/auth/admin/set-role', { userId: staff.id, role })
      },
      removed: (staff) => admin.client.post('/api/auth/admin/remove-user', { userId: staff.id }),
      'signed out': (staff) =>
        service()
          .client()
          .post('/api/auth/sign-out', {}, { headers: { authorization: `Bearer ${staff.token}` } }),
      'their sessions revoked': (staff) =>
        admin.client.post('/api/auth/admin/revoke-user-sessions', { userId: staff.id }),
      'the user promoted': (_, user) =>
        admin.client.post('/api/auth/admin/set-role', { userId: user.id, role: 'support' }),
      'the user banned': (_, user) => admin.client.post('/api/auth/admin/ban-user', { userId: user.id }),
      'the user removed': (_, user) => admin.client.post('/api/auth/admin/remove-user', { userId: user.id }),
    }
    for (const [ending, end] of Object.entries(endings)) {
      const staff = await userWithRole(service(), admin, 'admin')
      const user = await userWithRole(service(), admin)
      const { body } = await impersonate(staff, user)
      assert.equal(await whoIs(service(), body.session.token), user.id)
      await end(staff, user)
      assert.equal(await whoIs(service(), body.session.token), null, ending)
    }
  })

  test("An impersonated session expires with the impersonator's own session", async () => {
    const { context } = service()
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const ownEnd = context.now() + 10 * MINUTE
    const own = context.database.updateTable('sessions').set({ expiresAt: ownEnd }).where('userId', '=', admin.id)
    await own.execute()
    const { body } = await impersonate(admin, user)
    assert.equal(Date.parse(body.session.expiresAt), ownEnd)
    const later = { expiresAt: ownEnd + MINUTE }
    await context.database.updateTable('sessions').set(later).where('id', '=', body.session.id).execute()
    assert.equal(await whoIs(service(), body.session.token), user.id)
    service().advance(10 * MINUTE)
    assert.equal(await whoIs(service(), body.session.token), null)
  })

  test('An impersonated session is refused when only rows of the impersonator changed', async () => {
    const { context } = service()
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const changes = [{ role: 'support' }, { banned: 1 }] as const
    for (const change of changes) {
      const staff = await userWithRole(service(), admin, 'admin')
      const { body } = await impersonate(staff, user)
      assert.equal(await whoIs(service(), body.session.token), user.id)
      await context.database.updateTable('users').set(change).where('id', '=', staff.id).execute()
      assert.equal(await whoIs(service(), body.session.token), null, JSON.stringify(change))
    }
    for (const change of [{ banned: 1 }, { role: 'support' }] as const) {
      const testUser = await userWithRole(service(), admin)
      const { body } = await impersonate(await signedIn(service(), admin.email), testUser)
      assert.equal(await whoIs(service(), body.session.token), testUser.id)
      await context.database.updateTable('users').set(change).where('id', '=', testUser.id).execute()
      assert.equal(await whoIs(service(), body.session.token), null, JSON.stringify(change))
    }
  })

  test('One of 20 concurrent stop-impersonating calls returns the staff session', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const { body } = await impersonate(admin, user)
    const headers = { authorization: `Bearer ${body.session.token}` }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service().client().post('/api/auth/admin/stop-impersonating', {}, { headers })),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.ok(answers.every(({ status }) => status === 200 || status === 401))
    assert.equal(await whoIs(service(), admin.token), admin.id)
  })

  test('stop-impersonating refuses sessions without impersonation and unknown fields', async () => {
    const { client, email } = await administrator(service())
    const answer = await client.post('/api/auth/admin/stop-impersonating')
    assert.equal(answer.status, 400)
    assert.equal(answer.body.code, 'NOT_IMPERSONATING')
    const testUser = await signedIn(service(), email)
    const body = { userId: testUser.id, reason: 'x'.repeat(501) }
    assert.equal((await client.post('/api/auth/admin/impersonate-user', body)).body.field, 'reason')
    assert.equal(
      (await client.post('/api/auth/admin/impersonate-user', { ...body, reason: 'a\u0000' })).body.field,
      'reason',
    )
  })
})

async function impersonate(staff: TestUser, user: TestUser, reason?: string) {
  const body = { userId: user.id, ...(reason && { reason }) }
  const answer = await staff.client.post('/api/auth/admin/impersonate-user', body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer
}

/** @returns the id of the user whom the credential authenticates */
async function whoIs(service: Service, token: string): Promise<string | null> {
  const headers = { authorization: `Bearer ${token}` }
  const { body } = await service.client().get('/api/auth/get-session', { headers })
  return body === null ? null : body.user.id
}
