import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearerClient } from '../../../../test/support/bearer-client.ts'
import { newUsers } from '../../../../test/support/many-users.ts'
import { onEachDatabase, type Service } from '../../../../test/support/service.ts'
import { userWithRole } from '../../../../test/support/staff.ts'
import { statementsOf } from '../../../../test/support/statements.ts'
import { administrator, newEmail, PASSWORD, signedIn, type TestUser } from '../../../../test/support/users.ts'
import { OPERATOR } from '../../../core/audit/actor.ts'
import { recordEvents } from '../../../core/audit/record-event.ts'
import { createAdmin } from '../../account/setup/create-admin.ts'
import { listImpersonations } from './list-impersonations.ts'

const MINUTE = 60_000

interface Scene {
  service: Service
  admin: TestUser
  staff: TestUser
  user: TestUser
  /** The session in which `staff` impersonates `user`. */
  impersonated: { id: string; token: string; expiresAt: string }
}
type Ending = (scene: Scene) => Promise<{ status: number; body?: unknown } | undefined>

const byAdmin =
  (path: string, body: (scene: Scene) => object): Ending =>
  (scene) =>
    scene.admin.client.post(`/api/auth/admin/${path}`, body(scene))
const byUser =
  (path: string, body: (scene: Scene) => object = () => ({})): Ending =>
  (scene) =>
    scene.user.client.post(`/api/auth/${path}`, body(scene))
/** With the own session of staff. */
const byStaff =
  (path: string, body: (scene: Scene) => object = () => ({})): Ending =>
  ({ service, staff, ...scene }) =>
    bearerClient(service, staff).post(`/api/auth/${path}`, body({ service, staff, ...scene }))
const ofStaff = ({ staff }: Scene) => ({ userId: staff.id })
const ofUser = ({ user }: Scene) => ({ userId: user.id })
const newPassword = 'another correct horse battery'

/** Every way in which an impersonation ends before it expires. */
const ENDINGS: Record<string, Ending> = {
  'staff stop': ({ service, impersonated }) =>
    bearerClient(service, impersonated).post('/api/auth/admin/stop-impersonating'),
  'staff sign out of the impersonated session': ({ service, impersonated }) =>
    bearerClient(service, impersonated).post('/api/auth/sign-out'),
  'staff sign out of their own session': byStaff('sign-out'),
  'staff revoke all their sessions': byStaff('revoke-sessions'),
  'staff revoke their own session by its token': byStaff('revoke-session', ({ staff }) => ({ token: staff.token })),
  'staff revoke their other sessions': async ({ service, staff }) =>
    (await signedIn(service, staff.email)).client.post('/api/auth/revoke-other-sessions'),
  'staff change their password': byStaff('change-password', () => ({
    currentPassword: PASSWORD,
    newPassword,
    revokeOtherSessions: true,
  })),
  'staff delete themselves': byStaff('delete-user', () => ({ password: PASSWORD })),
  'staff are banned': byAdmin('ban-user', ofStaff),
  'staff are demoted': byAdmin('set-role', (scene) => ({ ...ofStaff(scene), role: 'support' })),
  'the email address of staff becomes unverified': byAdmin('update-user', ({ staff }) => ({
    userId: staff.id,
    data: { emailVerified: false },
  })),
  'staff are removed': byAdmin('remove-user', ofStaff),
  'the sessions of staff are revoked': byAdmin('revoke-user-sessions', ofStaff),
  'the session of staff is revoked': byAdmin('revoke-user-session', ({ staff }) => ({ sessionToken: staff.token })),
  'the user revokes their other sessions': byUser('revoke-other-sessions'),
  'the user revokes all their sessions': byUser('revoke-sessions'),
  'the user revokes it by its handle': byUser('revoke-session', ({ impersonated }) => ({ token: impersonated.id })),
  'the user changes their password': byUser('change-password', () => ({
    currentPassword: PASSWORD,
    newPassword,
    revokeOtherSessions: true,
  })),
  'the user deletes themselves': byUser('delete-user', () => ({ password: PASSWORD })),
  'the user is banned': byAdmin('ban-user', ofUser),
  'the user becomes staff': byAdmin('set-role', (scene) => ({ ...ofUser(scene), role: 'support' })),
  'the user becomes an administrator by command': async ({ service, user }) => {
    await createAdmin(service.context, { email: user.email, name: 'Paula' })
    return undefined
  },
  'the user is removed': byAdmin('remove-user', ofUser),
  'the sessions of the user are revoked': byAdmin('revoke-user-sessions', ofUser),
  'staff revoke it by its handle': byAdmin('revoke-user-session', ({ impersonated }) => ({
    sessionToken: impersonated.id,
  })),
  'the user gets a password from staff': byAdmin('set-user-password', (scene) => ({ ...ofUser(scene), newPassword })),
  'the user gets an email address from staff': byAdmin('update-user', ({ user }) => ({
    userId: user.id,
    data: { email: `new.${user.email}` },
  })),
}

onEachDatabase('list-impersonations', (service) => {
  async function newScene(): Promise<Scene> {
    const admin = await administrator(service())
    const staff = await userWithRole(service(), admin, 'admin')
    const user = await userWithRole(service(), admin)
    const started = await staff.client.post('/api/auth/admin/impersonate-user', { userId: user.id })
    assert.equal(started.status, 200)
    return { service: service(), admin, staff, user, impersonated: started.body.session }
  }
  const endingsOf = ({ user }: Scene) =>
    service()
      .context.database.selectFrom('auditEvents')
      .select(['details', 'createdAt'])
      .where('subjectId', '=', user.id)
      .where('action', '=', 'impersonation.ended')
      .execute()

  for (const [name, end] of Object.entries(ENDINGS)) {
    test(`list-impersonations shows when an impersonation ended: ${name}`, async () => {
      const scene = await newScene()
      service().advance(5 * MINUTE)
      const [running] = await listImpersonations(service().context, scene.user.id)
      assert.equal(running?.endedAt, null)
      const before = service().context.now()
      const answer = await end(scene)
      assert.ok((answer?.status ?? 200) < 300, JSON.stringify(answer?.body))
      const after = service().context.now()
      service().advance(MINUTE)
      const [ended, ...others] = await listImpersonations(service().context, scene.user.id)
      assert.deepEqual(others, [])
      const [event, ...repeated] = await endingsOf(scene)
      assert.deepEqual(repeated, [])
      assert.equal(event?.details, JSON.stringify({ sessionId: scene.impersonated.id }))
      assert.ok(before <= event.createdAt && event.createdAt <= after)
      assert.equal(ended?.endedAt, new Date(event.createdAt).toISOString())
    })
  }

  test('An impersonation that ends because the email address of staff becomes unverified stays ended after a verification', async () => {
    const { admin, staff, impersonated } = await newScene()
    for (const emailVerified of [false, true]) {
      const body = { userId: staff.id, data: { emailVerified } }
      assert.equal((await admin.client.post('/api/auth/admin/update-user', body)).status, 200)
      assert.equal((await bearerClient(service(), impersonated).get('/api/auth/get-session')).body, null)
    }
  })

  test('list-impersonations shows the expiry of an expired impersonation, also after a later revocation', async () => {
    const scene = await newScene()
    const shown = async () => (await scene.user.client.get('/api/auth/list-impersonations')).body
    assert.equal((await shown())[0].endedAt, null)
    service().advance(60 * MINUTE)
    assert.equal((await shown())[0].endedAt, scene.impersonated.expiresAt)
    service().advance(MINUTE)
    assert.equal((await scene.user.client.post('/api/auth/revoke-other-sessions')).status, 200)
    assert.equal((await shown())[0].endedAt, scene.impersonated.expiresAt)
    assert.deepEqual(await endingsOf(scene), [])
  })

  test('list-impersonations shows the end of each concurrent impersonation', async () => {
    const scene = await newScene()
    const other = await signedIn(service(), scene.staff.email)
    await other.client.post('/api/auth/admin/impersonate-user', { userId: scene.user.id })
    service().advance(MINUTE)
    await other.client.post('/api/auth/admin/stop-impersonating')
    const { body } = await scene.user.client.get('/api/auth/list-impersonations')
    assert.deepEqual(
      body.map(({ endedAt }: { endedAt: string | null }) => endedAt !== null),
      [true, false],
    )
  })

  test('list-impersonations names 13 staff members with as many statements as 3, also an imported one', async (t) => {
    const { context } = service()
    const user = await userWithRole(service(), await administrator(service()))
    const importedId = 'k7QpWz3VbNm1XyRtLd9sHc2fGj5aEu8o'
    const { id } = user
    const copied = await context.database.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const imported = { ...copied, id: importedId, name: 'Ida Imported', email: newEmail() }
    await context.database.insertInto('users').values(imported).execute()
    const counts: number[] = []
    for (const count of [2, 10]) {
      const emails = await newUsers(service(), count)
      const staff = await context.database.selectFrom('users').select('id').where('email', 'in', emails).execute()
      for (const actorId of [importedId, ...staff.map((one) => one.id)])
        await recordEvents(context.database, context, { ...OPERATOR, actorId }, [
          { action: 'impersonation.started', subjectId: id, details: { sessionId: actorId, expiresAt: 1 } },
        ])
      const statements = await statementsOf(t, service(), async () => {
        const shown = await listImpersonations(context, id)
        assert.ok(shown.every(({ impersonatedByName }) => impersonatedByName !== null))
        const ofImported = shown.find(({ impersonatedBy }) => impersonatedBy === importedId)
        assert.equal(ofImported?.impersonatedByName, 'Ida Imported')
      })
      counts.push(statements.length)
    }
    assert.equal(counts[1], counts[0])
  })
})
