import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { createTestUser, userWithRole } from '../../../../test/support/staff.ts'
import { enableTotp, firstStep } from '../../../../test/support/two-step.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  newEmail,
  newUser,
  signedIn,
} from '../../../../test/support/users.ts'

const LIST = '/api/auth/admin/list-audit-events'
const OF_USER = '/api/auth/admin/list-user-events'

interface Listed {
  id: string
  action: string
  actorId: string | null
  actorName: string | null
  impersonatedBy: string | null
  subjectId: string | null
  subjectName: string | null
  organizationName: string | null
  ipAddress: string | null
  requestId: string | null
}

onEachDatabase('list-audit-events and list-user-events', (service) => {
  test('list-audit-events by userId returns each event once whose actor or subject is the user, newest first', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    await user.client.post('/api/auth/update-user', { name: 'Nia New' })
    await admin.client.post('/api/auth/admin/ban-user', { userId: user.id })
    const { body } = await admin.client.get(`${LIST}?userId=${user.id}`)
    const events = body.events as Listed[]
    assert.deepEqual(events.map(({ action }) => action).toSorted(), [
      'session.ended',
      'session.started',
      'user.banned',
      'user.created',
      'user.updated',
    ])
    assert.ok(events.every(({ actorId, subjectId }) => actorId === user.id || subjectId === user.id))
    const pages = await Promise.all(
      events.map((_, offset) => admin.client.get(`${LIST}?userId=${user.id}&limit=1&offset=${offset}`)),
    )
    assert.deepEqual(
      pages.map((page) => page.body.events[0].id),
      events.map(({ id }) => id),
    )
    assert.equal(pages.at(-1)?.body.hasMore, false)
  })

  test('list-audit-events has what staff did while they impersonated a user, by impersonatedBy, userId and anyId', async () => {
    const admin = await administrator(service())
    const staff = await userWithRole(service(), admin, 'admin')
    const user = await userWithRole(service(), admin)
    await staff.client.post('/api/auth/admin/impersonate-user', { userId: user.id })
    await staff.client.post('/api/auth/update-user', { name: 'Nia New' })
    for (const query of [`impersonatedBy=${staff.id}`, `userId=${staff.id}`, `anyId=${staff.id}`]) {
      const { events } = (await admin.client.get(`${LIST}?${query}&action=user.updated`)).body
      assert.deepEqual(
        events.map(({ actorId, impersonatedBy }: Listed) => [actorId, impersonatedBy]),
        [[user.id, staff.id]],
        query,
      )
    }
  })

  test('list-audit-events by anyId returns the events of an organization, too, as its id does not say what it names', async () => {
    const { client, organization, id } = await administratorWithOrganization(service())
    const actions = async (query: string) =>
      (await client.get(`${LIST}?${query}`)).body.events.map(({ action }: Listed) => action)
    assert.deepEqual(await actions(`anyId=${organization.id}`), await actions(`organizationId=${organization.id}`))
    assert.deepEqual(await actions(`anyId=${id}`), await actions(`userId=${id}`))
    const both = await client.get(`${LIST}?anyId=${id}&userId=${id}`)
    assert.deepEqual([both.status, both.body.field], [400, 'anyId'])
  })

  test('list-audit-events by requestId returns the events of one request', async () => {
    const admin = await administrator(service())
    const answer = await admin.client.post('/api/auth/admin/ban-user', { userId: await newUser(service()) })
    const requestId = answer.headers.get('x-request-id')
    const { body } = await admin.client.get(`${LIST}?requestId=${requestId}`)
    assert.deepEqual(
      (body.events as Listed[]).map(({ action }) => action),
      ['user.banned'],
    )
    assert.equal((await admin.client.get(`${LIST}?requestID=${requestId}`)).body.field, 'requestID')
  })

  test('list-audit-events names actors, subjects and organizations, and returns null for a deleted one', async () => {
    const { client, organization } = await administratorWithOrganization(service())
    const id = await createTestUser({ ...(await administrator(service())), client }, { name: 'Tess Target' })
    const named = async (query: string) => {
      const [event] = (await client.get(`${LIST}?${query}`)).body.events as Listed[]
      return [event?.actorName, event?.subjectName ?? event?.organizationName]
    }
    assert.deepEqual(await named(`action=user.created&subjectId=${id}`), ['Ada Admin', 'Tess Target'])
    assert.deepEqual(await named(`action=organization.created&organizationId=${organization.id}`), [
      'Ada Admin',
      'Example Works',
    ])
    await client.post('/api/auth/admin/remove-user', { userId: id })
    assert.deepEqual(await named(`action=user.created&subjectId=${id}`), ['Ada Admin', null])
  })

  test('list-audit-events names imported rows, whose ids may be the same in each table', async () => {
    const { client } = await administrator(service())
    const founder = await administratorWithOrganization(service())
    const { database } = service().context
    const user = await database.selectFrom('users').selectAll().where('id', '=', founder.id).executeTakeFirstOrThrow()
    const imported = { id: '7', name: 'Ida Imported', email: 'ida@example.com' }
    await database
      .insertInto('users')
      .values({ ...user, ...imported })
      .execute()
    const organization = await database.selectFrom('organizations').selectAll().executeTakeFirstOrThrow()
    await database
      .insertInto('organizations')
      .values({ ...organization, id: '7', slug: 'imported', name: 'Imported Works' })
      .execute()
    await client.post('/api/auth/admin/ban-user', { userId: '7' })
    await database
      .updateTable('auditEvents')
      .set({ actorId: '7', organizationId: '7' })
      .where('subjectId', '=', '7')
      .execute()
    const listNames = async () => {
      const [event] = (await client.get(`${LIST}?subjectId=7`)).body.events as Listed[]
      return [event?.actorName, event?.subjectName, event?.organizationName]
    }
    assert.deepEqual(await listNames(), ['Ida Imported', 'Ida Imported', 'Imported Works'])

    const { id: organizationId } = founder.organization
    await founder.client.post('/api/auth/api-key/create', { name: 'nightly report', organizationId })
    await database.updateTable('apiKeys').set({ id: '7' }).where('organizationId', '=', organizationId).execute()
    await database.updateTable('auditEvents').set({ action: 'api-key.updated' }).where('subjectId', '=', '7').execute()
    assert.deepEqual(await listNames(), ['Ida Imported', 'nightly report', 'Imported Works'])

    const { invitationId, email } = await invite(service(), founder)
    await database.updateTable('invitations').set({ id: '7' }).where('id', '=', invitationId).execute()
    await database
      .updateTable('auditEvents')
      .set({ action: 'invitation.created' })
      .where('subjectId', '=', '7')
      .execute()
    assert.deepEqual(await listNames(), ['Ida Imported', email, 'Imported Works'])
  })

  test('list-user-events shows support the events of a user without the networks of administrators', async () => {
    const admin = await administrator(service())
    const support = await userWithRole(service(), admin, 'support')
    // Requests, because the events of rows that are inserted have no network and no request.
    const email = newEmail()
    await createTestUser(admin, { email })
    const user = await signedIn(service(), email)
    await admin.client.post('/api/auth/admin/unban-user', { userId: user.id })
    await admin.client.post('/api/auth/admin/impersonate-user', { userId: user.id })
    await admin.client.post('/api/auth/update-user', { name: 'Another Name' })
    await admin.client.post('/api/auth/admin/stop-impersonating')
    const list = async ({ client }: typeof support) =>
      (await client.get(`${OF_USER}?userId=${user.id}`)).body.events as Listed[]
    const networkOf = (events: Listed[], action: string) => {
      const event = events.find((found) => found.action === action)
      return [event?.ipAddress, event?.requestId === null]
    }
    const seen = await list(support)
    assert.deepEqual(networkOf(seen, 'session.started'), [user.client.address, false])
    assert.deepEqual(networkOf(seen, 'user.created'), [null, true])
    assert.deepEqual(networkOf(seen, 'user.updated'), [null, true], 'by an impersonator')
    assert.deepEqual(networkOf(await list(admin), 'user.created'), [admin.client.address, false])
    assert.equal(seen.find(({ action }) => action === 'user.created')?.actorName, 'Ada Admin')
    const ofStaff = await support.client.get(`${OF_USER}?userId=${admin.id}`)
    assert.deepEqual([ofStaff.status, ofStaff.body.code], [403, 'STAFF_IS_FOR_ADMINS'])
  })

  test('list-user-events shows support no network of what a user did as an administrator', async () => {
    const admin = await administrator(service())
    const support = await userWithRole(service(), admin, 'support')
    const former = await userWithRole(service(), admin, 'admin')
    await former.client.post('/api/auth/update-user', { name: 'Nia New' })
    service().advance(1_000)
    await admin.client.post('/api/auth/admin/set-role', { userId: former.id, role: 'user' })
    service().advance(1_000)
    await former.client.post('/api/auth/update-user', { name: 'Nia Newer' })
    const { body } = await support.client.get(`${OF_USER}?userId=${former.id}&action=user.updated`)
    assert.deepEqual(
      body.events.map(({ actorId, ipAddress, requestId }: Listed) => [actorId, ipAddress, requestId === null]),
      [
        [former.id, former.client.address, false],
        [former.id, null, true],
      ],
    )
  })

  test('list-user-events shows support no network of the first steps of an administrator, who was a user later', async () => {
    const admin = await administrator(service())
    const support = await userWithRole(service(), admin, 'support')
    const former = await userWithRole(service(), admin, 'admin')
    const client = service().client()
    await enableTotp(service(), former)
    assert.equal((await firstStep(client, former.email, { password: 'a wrong guess' })).status, 401)
    assert.equal((await firstStep(client, former.email)).body.twoFactorRedirect, true)
    await service().context.repeatedEvents.save()
    service().advance(1_000)
    await admin.client.post('/api/auth/admin/set-role', { userId: former.id, role: 'user' })
    service().advance(1_000)
    assert.equal((await firstStep(client, former.email)).body.twoFactorRedirect, true)
    const { body } = await support.client.get(`${OF_USER}?userId=${former.id}`)
    const seen = (body.events as Listed[]).filter(({ action }) => action.startsWith('sign-in.'))
    assert.deepEqual(
      seen.map(({ action, ipAddress, requestId }) => [action, ipAddress, requestId === null]).toSorted(),
      [
        ['sign-in.failed', null, true],
        ['sign-in.second-step-due', client.address, false],
        ['sign-in.second-step-due', null, true],
      ].toSorted(),
    )
  })
})
