import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kysely } from 'kysely'
import { bearerClient } from '../../../../test/support/bearer-client.ts'
import type { Answer } from '../../../../test/support/client.ts'
import { concurrently } from '../../../../test/support/concurrently.ts'
import { insertTestInvitations } from '../../../../test/support/many-invitations.ts'
import { secondProcess } from '../../../../test/support/second-process.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import {
  administratorWithOrganization,
  type Invited,
  invite,
  joinOrganization,
  member,
  memberIdOf,
  sessionOf,
  type TestUser,
} from '../../../../test/support/users.ts'
import { findInvitation } from '../../../core/invitations/details-store.ts'
import { addMember } from '../../../core/memberships/add-member.ts'
import type { InvitationStatus, Tables } from '../../../platform/database/tables.ts'

const LEAVE = '/api/auth/organization/leave'

onEachDatabase('leave', (service) => {
  const getSecond = secondProcess(service)

  test('leave deletes the membership and clears the active organization of all sessions', async () => {
    const founder = await administratorWithOrganization(service())
    const colleague = await member(service(), founder)
    const organizationId = founder.organization.id
    const left = await colleague.client.post(LEAVE, { organizationId })
    assert.equal(left.status, 200)
    assert.deepEqual(
      [left.body.userId, left.body.organizationId, left.body.role, typeof left.body.message],
      [colleague.id, organizationId, 'member', 'string'],
    )
    assert.equal((await colleague.client.get('/api/auth/get-session')).body.session.activeOrganizationId, null)
    assert.deepEqual((await colleague.client.get('/api/auth/organization/list')).body, [])
    assert.equal((await colleague.client.post(LEAVE, { organizationId })).status, 404)
    assert.equal((await founder.client.get('/api/auth/get-session')).body.session.activeOrganizationId, organizationId)
  })

  test('remove-member of the own membership leaves: the invitations pass to an owner, and no email is sent', async () => {
    const founder = await administratorWithOrganization(service())
    const second = await member(service(), founder, 'owner')
    const { invitationId } = await invite(service(), { ...founder, client: second.client })
    const before = (await service().emails(second.email)).length
    const { status, headers, body } = await second.client.post('/api/auth/organization/remove-member', {
      memberIdOrEmail: second.email,
      organizationId: founder.organization.id,
    })
    assert.deepEqual([status, body.member?.userId], [200, second.id])
    const { database, now } = service().context
    assert.equal((await findInvitation(database, now(), invitationId))?.invitation.inviterId, founder.id)
    assert.equal((await service().emails(second.email)).length, before)
    const events = database.selectFrom('auditEvents').select('action')
    const recorded = await events.where('requestId', '=', headers.get('x-request-id')).execute()
    assert.deepEqual(
      recorded.map(({ action }) => action),
      ['member.left'],
    )
  })

  test('leave leaves another organization active in the other sessions of the user', async () => {
    const [founder, other] = [
      await administratorWithOrganization(service()),
      await administratorWithOrganization(service()),
    ]
    const colleague = await member(service(), founder)
    await joinOrganization(service(), colleague, other)
    const elsewhere = await sessionOf(service(), colleague, other.organization.id)
    assert.equal((await colleague.client.post(LEAVE, { organizationId: founder.organization.id })).status, 200)
    const { session } = (await elsewhere.client.get('/api/auth/get-session')).body
    assert.equal(session.activeOrganizationId, other.organization.id)
  })

  test('leave revokes no API keys without the second step that the organization requires since the request', async () => {
    const founder = await administratorWithOrganization(service())
    const admin = await member(service(), founder, 'admin')
    const { id } = founder.organization
    const require = (transaction: Kysely<Tables>) =>
      transaction.updateTable('organizations').set({ requireTwoFactor: 1 }).where('id', '=', id).execute()
    const leave = () => admin.client.post(LEAVE, { organizationId: id, revokeApiKeys: true })
    const { status, body } = await concurrently(service(), { begin: require }, leave)
    assert.deepEqual([status, body.code], [403, 'TWO_FACTOR_REQUIRED'])
  })

  test('leave refuses the only owner, with and without other members', async () => {
    const founder = await administratorWithOrganization(service())
    await member(service(), founder, 'admin')
    const answer = await founder.client.post(LEAVE, { organizationId: founder.organization.id })
    assert.equal(answer.status, 400)
    assert.equal(answer.body.code, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
  })

  test("The only owner who is not banned can't leave, be demoted or transfer the ownership", async () => {
    const founder = await administratorWithOrganization(service())
    const partner = await member(service(), founder, 'owner')
    const { client, organization } = founder
    const [founderId, partnerId] = [await memberIdOf(founder), await memberIdOf(partner)]
    const ban = (banned: number, banExpires: number | null) =>
      service().context.database.updateTable('users').set({ banned, banExpires }).where('id', '=', partner.id).execute()
    const leave = async () => (await client.post(LEAVE, { organizationId: organization.id })).body.code

    await ban(1, service().context.now() + 60_000)
    assert.equal(await leave(), 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
    for (const [path, body] of [
      ['update-member-role', { memberId: founderId, role: 'admin' }],
      ['transfer-ownership', { memberId: partnerId }],
    ] as const) {
      const answer = await client.post(`/api/auth/organization/${path}`, body)
      assert.equal(answer.body.code, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER', path)
    }
    const { body } = await client.get('/api/auth/delete-user/preview')
    assert.equal(body.obstacles.at(-1).organizationId, organization.id)
    await ban(1, 1)
    assert.equal(await leave(), undefined, 'the ban has expired')
  })

  test('leave with any number of expired invitations passes the open ones only', async () => {
    const founder = await administratorWithOrganization(service())
    const admin = await member(service(), founder, 'admin')
    const organizationId = founder.organization.id
    const now = service().context.now()
    const insert = (count: number, status: InvitationStatus, expiresAt: number) =>
      insertTestInvitations(service(), organizationId, count, { status, expiresAt, inviterId: admin.id })
    for (let expiresAt = 1; expiresAt <= 33; expiresAt += 1) await insert(1_000, 'pending', expiresAt)
    await insert(2, 'pending', now + 60_000)
    await insert(1, 'canceled', now + 60_000)
    assert.equal((await admin.client.post(LEAVE, { organizationId })).status, 200)
    const { details } = await service()
      .context.database.selectFrom('auditEvents')
      .select('details')
      .where('action', '=', 'member.left')
      .where('subjectId', '=', admin.id)
      .executeTakeFirstOrThrow()
    assert.deepEqual(JSON.parse(details), { role: 'admin', passedInvitations: 2, passedTo: founder.id })
  })

  test('leave passes open invitations to the owner with the oldest membership, unless a ban lasts', async () => {
    const founder = await administratorWithOrganization(service())
    const oldest = await member(service(), founder, 'owner')
    const { database, now } = service().context
    await database.updateTable('members').set({ createdAt: 1 }).where('userId', '=', oldest.id).execute()
    for (const [banExpires, owner] of [
      [now() + 60_000, founder],
      [1, oldest],
    ] as const) {
      await database.updateTable('users').set({ banned: 1, banExpires }).where('id', '=', oldest.id).execute()
      const leaver = await member(service(), founder, 'admin')
      const { invitationId } = await invite(service(), leaver)
      assert.equal((await leaver.client.post(LEAVE, { organizationId: founder.organization.id })).status, 200)
      const found = await findInvitation(database, now(), invitationId)
      assert.equal(found?.invitation.inviterId, owner.id)
    }
  })

  test('leave passes neither the invitations of another member nor those into another organization', async () => {
    const [founder, other] = [
      await administratorWithOrganization(service()),
      await administratorWithOrganization(service()),
    ]
    const [leaver, colleague] = [await member(service(), founder, 'admin'), await member(service(), founder, 'admin')]
    const { context } = service()
    await addMember(context.database, context, {
      organizationId: other.organization.id,
      userId: leaver.id,
      role: 'admin',
    })
    const ofColleague = await invite(service(), colleague)
    const elsewhere = await invite(service(), { ...leaver, organization: other.organization })
    assert.equal((await leaver.client.post(LEAVE, { organizationId: founder.organization.id })).status, 200)
    const inviterOf = async ({ invitationId }: Invited) =>
      (await findInvitation(context.database, context.now(), invitationId))?.invitation.inviterId
    assert.deepEqual([await inviterOf(ofColleague), await inviterOf(elsewhere)], [colleague.id, leaver.id])
  })

  test('Twenty concurrent leave calls of owners in two processes leave one owner', { timeout: 60_000 }, async () => {
    const founder = await administratorWithOrganization(service())
    const organizationId = founder.organization.id
    const owners = [
      founder,
      ...(await Promise.all(Array.from({ length: 19 }, () => member(service(), founder, 'owner')))),
    ]
    const second = await getSecond()
    const leave = async (one: TestUser, index: number): Promise<Answer> => {
      const answer = await bearerClient(index % 2 ? second : service(), one).post(LEAVE, { organizationId })
      // On a slow machine, some wait for the lock until their time is used up.
      return answer.status === 503 ? leave(one, index) : answer
    }
    const answers = await Promise.all(owners.map(leave))
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [...Array(19).fill(200), 400])
    const remaining = await service()
      .context.database.selectFrom('members')
      .select('role')
      .where('organizationId', '=', organizationId)
      .execute()
    assert.deepEqual(
      remaining.map(({ role }) => role),
      ['owner'],
    )
  })

  test('Two concurrent leave calls of owners leave one owner', async () => {
    const founder = await administratorWithOrganization(service())
    const partner = await member(service(), founder, 'owner')
    const { database, now, randomBytes } = service().context
    const second = bearerClient(await getSecond(), partner)
    for (let round = 0; round < 20; round += 1) {
      const slug = `${founder.organization.slug}-${round}`
      const { body } = await founder.client.post('/api/auth/organization/create', { name: 'Race', slug })
      await addMember(database, { now, randomBytes }, { organizationId: body.id, userId: partner.id, role: 'owner' })
      const answers = await Promise.all([
        founder.client.post(LEAVE, { organizationId: body.id }),
        second.post(LEAVE, { organizationId: body.id }),
      ])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
    }
  })
})
