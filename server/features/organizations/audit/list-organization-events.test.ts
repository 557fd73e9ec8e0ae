import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestApp, signInTo } from '../../../../test/support/openid.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { userWithRole } from '../../../../test/support/staff.ts'
import {
  administratorWithOrganization,
  invite,
  member,
  newEmail,
  newMember,
  newUser,
  signedIn,
  type TestMember,
  type TestUser,
} from '../../../../test/support/users.ts'

const LIST = '/api/auth/organization/list-audit-events'

interface Event {
  action: string
  actorId: string | null
  actorName: string | null
  byStaff: boolean
  subjectId: string
  subjectName: string | null
  ipAddress: string | null
  details: Record<string, unknown>
}

onEachDatabase('organization/list-audit-events', (service) => {
  async function list({ client }: TestUser, organization: TestMember['organization'], more = ''): Promise<Event[]> {
    const { status, body } = await client.get(`${LIST}?organizationId=${organization.id}${more}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.events
  }

  const requireSecondStep = (id: string) =>
    service().context.database.updateTable('organizations').set({ requireTwoFactor: 1 }).where('id', '=', id).execute()

  test('list-audit-events has the events of this organization alone, newest first, with names', async () => {
    const staff = await administratorWithOrganization(service())
    const boss = await member(service(), staff, 'owner')
    const { organization } = boss
    const invited = await invite(service(), boss)
    const { body: key } = await boss.client.post('/api/auth/api-key/create', { name: 'Payroll' })
    const other = await newMember(service(), 'owner')
    await other.client.post('/api/auth/organization/update', { data: { name: 'Elsewhere' } })

    const events = await list(boss, organization)
    assert.deepEqual(
      events
        .slice(0, 2)
        .map(({ action, actorId, actorName, subjectName }) => [action, actorId, actorName, subjectName]),
      [
        ['api-key.created', boss.id, 'Hilda Hire', 'Payroll'],
        ['invitation.created', boss.id, 'Hilda Hire', invited.email],
      ],
    )
    assert.equal(events[0]?.ipAddress, boss.client.address)
    assert.deepEqual(
      Object.keys(events[0] ?? {}).filter((name) => /request|userAgent|mac|hash/i.test(name)),
      [],
    )
    assert.ok(!events.some(({ action }) => action === 'organization.updated'))
    await boss.client.post('/api/auth/api-key/delete', { keyId: key.id })
    const [deleted] = await list(boss, organization, '&action=api-key.deleted')
    assert.deepEqual([deleted?.subjectId, deleted?.subjectName], [key.id, null])
  })

  test('list-audit-events names imported subjects, whose ids may be the same in each table, and none of another tenant', async () => {
    const { database } = service().context
    const founder = await administratorWithOrganization(service())
    const { organization } = founder
    const hire = await member(service(), founder)
    const { email, invitationId } = await invite(service(), founder)
    const user = await database.selectFrom('users').selectAll().where('id', '=', hire.id).executeTakeFirstOrThrow()
    const imported = { ...user, id: '7', name: 'Ida Imported', email: newEmail() }
    await database.insertInto('users').values(imported).execute()
    await database.updateTable('invitations').set({ id: '7' }).where('id', '=', invitationId).execute()
    const listName = async (action: string) => {
      await database.updateTable('auditEvents').set({ action }).where('subjectId', '=', '7').execute()
      const [event] = await list(founder, organization, `&action=${action}`)
      assert.equal(event?.subjectId, '7')
      return event.subjectName
    }
    await database.updateTable('auditEvents').set({ subjectId: '7' }).where('subjectId', '=', invitationId).execute()
    assert.equal(await listName('member.role-set'), 'Ida Imported')
    assert.equal(await listName('invitation.canceled'), email)
    assert.equal(await listName('api-key.updated'), null)
    await database.deleteFrom('invitations').where('id', '=', '7').execute()
    assert.equal(await listName('invitation.canceled'), null)

    const { body: key } = await founder.client.post('/api/auth/api-key/create', { name: 'Payroll' })
    await database.updateTable('apiKeys').set({ id: '8' }).where('id', '=', key.id).execute()
    await database.updateTable('auditEvents').set({ subjectId: '8' }).where('subjectId', '=', '7').execute()
    const refused = { action: 'access.refused', details: '{"code":"KEY_DISABLED"}' }
    await database.updateTable('auditEvents').set(refused).where('subjectId', '=', '8').execute()
    assert.equal((await list(founder, organization, '&action=access.refused'))[0]?.subjectName, 'Payroll')
  })

  test('list-audit-events pages by limit and offset, filters by time, and refuses unknown parameters', async () => {
    const founder = await administratorWithOrganization(service())
    const { organization } = founder
    for (let count = 0; count < 3; count++) await invite(service(), founder)
    const page = await founder.client.get(`${LIST}?limit=2&offset=1`)
    assert.deepEqual([page.body.events.length, page.body.limit, page.body.offset, page.body.hasMore], [2, 2, 1, true])
    assert.deepEqual(await list(founder, organization, '&until=2020'), [])
    assert.equal((await list(founder, organization, '&from=2020')).length, 4)
    for (const [field, query] of Object.entries({ actorId: 'actorId=x', limit: 'limit=501', action: 'action=none' })) {
      const { status, body } = await founder.client.get(`${LIST}?${query}`)
      assert.deepEqual([status, body.field], [400, field])
    }
  })

  test('list-audit-events shows neither the identity nor the network of staff who are not members', async () => {
    const staff = await administratorWithOrganization(service())
    const boss = await member(service(), staff, 'owner')
    const hire = await member(service(), boss)
    const { organization } = boss
    const [created] = await list(boss, organization, '&action=organization.created')
    assert.deepEqual([created?.actorId, created?.byStaff], [staff.id, false], 'the member who is staff too')
    await staff.client.post('/api/auth/organization/leave', { organizationId: organization.id })
    const hidden = await list(boss, organization, '&action=organization.created')
    assert.deepEqual(
      hidden.map(({ actorId, actorName, byStaff, ipAddress }) => [actorId, actorName, byStaff, ipAddress]),
      [[null, null, true, null]],
    )

    await staff.client.post('/api/auth/admin/impersonate-user', { userId: hire.id })
    assert.equal((await staff.client.get(`${LIST}?organizationId=${organization.id}`)).status, 403)
    await service().context.repeatedEvents.save()
    const [byStaff] = await list(boss, organization, '&action=access.refused')
    assert.deepEqual([byStaff?.actorId, byStaff?.byStaff, byStaff?.ipAddress], [hire.id, true, null])
  })

  test('list-audit-events has what the members of this organization were refused', async () => {
    const founder = await administratorWithOrganization(service())
    const admin = await member(service(), founder, 'admin')
    const hire = await member(service(), founder)
    const { organization } = founder
    const organizationId = organization.id
    const attempts = [
      await admin.client.post('/api/auth/organization/delete', { organizationId }),
      await hire.client.post('/api/auth/organization/update', { organizationId, data: { name: 'Other' } }),
    ]
    assert.deepEqual(
      attempts.map(({ status }) => status),
      [403, 403],
    )
    const stranger = await newMember(service())
    await requireSecondStep(organizationId)
    const token = `/api/token?org=${organization.slug}`
    assert.equal((await hire.client.get(token)).body.code, 'TWO_FACTOR_REQUIRED')
    assert.equal((await stranger.client.get(token)).body.code, 'ORGANIZATION_NOT_FOUND')
    await service().context.repeatedEvents.save()
    const events = await list(founder, organization, '&action=access.refused')
    assert.deepEqual(
      events.map(({ actorId, details }) => `${actorId} ${details.route}`).sort(),
      [
        `${admin.id} /api/auth/organization/delete`,
        `${hire.id} /api/auth/organization/update`,
        `${hire.id} /api/token`,
      ].sort(),
    )
  })

  test('list-audit-events shows no network of a user who declined an invitation, or who was staff', async () => {
    const founder = await administratorWithOrganization(service())
    const { organization } = founder
    const { email, invitationId } = await invite(service(), founder)
    await newUser(service(), { email })
    const { client } = await signedIn(service(), email)
    await client.post('/api/auth/organization/reject-invitation', { invitationId })
    const [declined] = await list(founder, organization, '&action=invitation.rejected')
    assert.deepEqual([declined?.actorName, declined?.ipAddress], ['Paula Parker', null])

    const staff = await userWithRole(service(), founder, 'admin')
    const ownerEmail = newEmail()
    const body = { name: 'Works', slug: `works-${organization.slug}`, ownerEmail }
    const created = await staff.client.post('/api/auth/admin/create-organization', body)
    await newUser(service(), { email: ownerEmail })
    const first = await signedIn(service(), ownerEmail)
    await first.client.post('/api/auth/organization/accept-invitation', { invitationId: created.body.invitation.id })
    await founder.client.post('/api/auth/admin/set-role', { userId: staff.id, role: 'user' })
    const [creation] = await list(first, created.body.organization, '&action=organization.created')
    assert.equal(creation?.ipAddress, null)
    const [acceptance] = await list(first, created.body.organization, '&action=invitation.accepted')
    assert.equal(acceptance?.ipAddress, first.client.address)
  })

  test('list-audit-events shows what staff did as done by staff, also after their role or their account has ended', async () => {
    const founder = await administratorWithOrganization(service())
    const endings: [path: string, more: object][] = [
      ['set-role', { role: 'user' }],
      ['remove-user', {}],
    ]
    for (const [path, more] of endings) {
      const staff = await userWithRole(service(), founder, 'admin')
      const ownerEmail = newEmail()
      const body = { name: 'Works', slug: `works-${path}-${founder.organization.slug}`, ownerEmail }
      const { organization, invitation } = (await staff.client.post('/api/auth/admin/create-organization', body)).body
      await newUser(service(), { email: ownerEmail })
      const first = await signedIn(service(), ownerEmail)
      await first.client.post('/api/auth/organization/accept-invitation', { invitationId: invitation.id })
      service().advance(1_000)
      assert.equal((await founder.client.post(`/api/auth/admin/${path}`, { userId: staff.id, ...more })).status, 200)
      const [creation] = await list(first, organization, '&action=organization.created')
      assert.deepEqual([creation?.actorId, creation?.actorName, creation?.byStaff], [null, null, true], path)
    }
  })

  test('list-audit-events shows no session id of a member who signs in to an app', async () => {
    const founder = await administratorWithOrganization(service())
    const hire = await member(service(), founder)
    const app = await createTestApp(service())
    await signInTo(hire, app)
    const { organization } = founder
    const [event] = await list(founder, organization, '&action=oauth-client.signed-in')
    assert.deepEqual([event?.actorId, event?.details], [hire.id, { clientId: app.id, name: 'Grafana' }])
    const { body } = await founder.client.get(`/api/auth/admin/list-audit-events?anyId=${hire.id}&limit=1`)
    assert.match(body.events[0].details.sessionId, /^ses_/)
  })

  test('list-audit-events is for owners and admins', async () => {
    const founder = await administratorWithOrganization(service())
    const hire = await member(service(), founder)
    const { status, body } = await hire.client.get(`${LIST}?organizationId=${founder.organization.id}`)
    assert.deepEqual([status, body.code], [403, 'FORBIDDEN'])
  })
})
