import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { type ConcurrentStep, concurrently } from '../../../../test/support/concurrently.ts'
import { leaseEmails } from '../../../../test/support/lease-emails.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { userWithRole } from '../../../../test/support/staff.ts'
import { statementsOf } from '../../../../test/support/statements.ts'
import {
  administrator,
  administratorWithOrganization,
  invitationLink,
  invite,
  member,
  newEmail,
  newUser,
  signUp,
  type TestUser,
} from '../../../../test/support/users.ts'
import { addMember } from '../../../core/memberships/add-member.ts'
import { lockOrganizationForUpdate } from '../../../core/memberships/lock-membership.ts'

const CREATE = '/api/auth/admin/create-organization'
const INVITE_OWNER = '/api/auth/admin/invite-owner'
const ORGANIZATION = '/api/auth/organization'

onEachDatabase('admin/create-organization', (service) => {
  async function create({ client }: TestUser, ownerEmail = newEmail()) {
    const slug = `made-${randomBytes(6).toString('hex')}`
    const { status, body } = await client.post(CREATE, { name: 'Made Works', slug, ownerEmail })
    assert.equal(status, 200, JSON.stringify(body))
    return { ...body, email: ownerEmail, linkPath: await invitationLink(service(), ownerEmail) }
  }

  async function accept(user: TestUser, invitationId: string) {
    return user.client.post(`${ORGANIZATION}/accept-invitation`, { invitationId })
  }

  test('create-organization invites the owner, who accepts and becomes the only member', async () => {
    const admin = await administrator(service())
    const { organization, invitation, email, linkPath } = await create(admin)
    assert.deepEqual([invitation.email, invitation.role, invitation.organizationId], [email, 'owner', organization.id])
    const list = await admin.client.get(`${ORGANIZATION}/list`)
    assert.ok(!list.body.some(({ id }: { id: string }) => id === organization.id), 'staff do not become members')

    const user = await signUp(service(), { email, invitationId: invitation.id, linkPath })
    const accepted = await accept(user, invitation.id)
    assert.deepEqual([accepted.status, accepted.body.member?.role], [200, 'owner'], JSON.stringify(accepted.body))
    const path = `/api/auth/admin/get-organization?id=${organization.id}`
    const { memberCount, ownerCount } = (await admin.client.get(path)).body.organization
    assert.deepEqual([memberCount, ownerCount], [1, 1])
    const left = await user.client.post(`${ORGANIZATION}/leave`, { organizationId: organization.id })
    assert.equal(left.body.code, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
  })

  test('create-organization with a taken slug or an invalid address creates nothing and sends nothing', async () => {
    const admin = await administrator(service())
    const { organization } = await administratorWithOrganization(service())
    const ownerEmail = newEmail()
    const taken = await admin.client.post(CREATE, { name: 'Made', slug: organization.slug, ownerEmail })
    assert.deepEqual([taken.status, taken.body.code], [400, 'ORGANIZATION_SLUG_ALREADY_TAKEN'])
    assert.deepEqual(await service().emails(ownerEmail), [])
    const slug = `${organization.slug}-x`
    const invalid = await admin.client.post(CREATE, { name: 'Made', slug, ownerEmail: 'nobody' })
    assert.deepEqual([invalid.body.code, invalid.body.field], ['INVALID_EMAIL', 'ownerEmail'])
    assert.equal((await admin.client.get(`/api/auth/admin/get-organization?slug=${slug}`)).status, 404)
  })

  test('The invitation of the first owner ends when its inviter is no longer an administrator', async () => {
    const admin = await administrator(service())
    const other = await userWithRole(service(), admin, 'admin')
    const { invitation, email, linkPath } = await create(other)
    const user = await signUp(service(), { email, invitationId: invitation.id, linkPath })
    await admin.client.post('/api/auth/admin/set-role', { userId: other.id, role: 'support' })
    assert.equal((await accept(user, invitation.id)).body.code, 'INVITER_NO_LONGER_ALLOWED')
    await admin.client.post('/api/auth/admin/set-role', { userId: other.id, role: 'admin' })
    assert.equal((await accept(user, invitation.id)).status, 200)
  })

  test('An administrator who was removed from an organization with members no longer invites to it', async () => {
    const admin = await administrator(service())
    const { organization, invitation, email, linkPath } = await create(admin)
    const first = await signUp(service(), { email, invitationId: invitation.id, linkPath })
    await accept(first, invitation.id)
    const invited = newEmail()
    const { database } = service().context
    await first.client.post(`${ORGANIZATION}/invite-member`, { email: invited, role: 'owner' })
    const link = await invitationLink(service(), invited)
    await database
      .updateTable('invitations')
      .set({ inviterId: admin.id })
      .where('email', '=', invited)
      .where('organizationId', '=', organization.id)
      .execute()
    const opened = await service().client().get(link)
    assert.equal(opened.headers.get('location'), '/invitation?error=INVITER_NO_LONGER_ALLOWED')
  })

  test('An administrator who was removed from an organization whose owner is banned invites no member to it', async () => {
    const admin = await administratorWithOrganization(service())
    const spammer = await member(service(), admin, 'owner')
    const invited = await invite(service(), admin)
    const removal = { memberIdOrEmail: admin.email, organizationId: admin.organization.id }
    assert.equal((await spammer.client.post(`${ORGANIZATION}/remove-member`, removal)).status, 200)
    assert.equal((await admin.client.post('/api/auth/admin/ban-user', { userId: spammer.id })).status, 200)
    const opened = await service().client().get(invited.linkPath)
    assert.equal(opened.headers.get('location'), '/invitation?error=INVITER_NO_LONGER_ALLOWED')
  })

  test('invite-owner cancels the former invitation, and is refused when the organization has an owner', async () => {
    const admin = await administrator(service())
    const { organization, invitation, linkPath } = await create(admin)
    const ownerEmail = newEmail()
    const body = { organizationId: organization.id, ownerEmail }
    const again = await admin.client.post(INVITE_OWNER, body)
    assert.equal(again.status, 200, JSON.stringify(again.body))
    assert.notEqual(again.body.invitation.id, invitation.id)
    const opened = await service().client().get(linkPath)
    assert.equal(opened.headers.get('location'), '/invitation?error=INVITATION_CANCELED')

    const newLink = await invitationLink(service(), ownerEmail)
    const invited = { email: ownerEmail, invitationId: again.body.invitation.id, linkPath: newLink }
    assert.equal((await accept(await signUp(service(), invited), invited.invitationId)).status, 200)
    const late = await admin.client.post(INVITE_OWNER, { ...body, ownerEmail: newEmail() })
    assert.deepEqual([late.status, late.body.code], [400, 'ORGANIZATION_HAS_OWNER'])
  })

  test('invite-owner returns ORGANIZATION_HAS_OWNER when an owner joins concurrently', async () => {
    const admin = await administrator(service())
    const organizationId = (await create(admin)).organization.id
    const userId = await newUser(service())
    const joining: ConcurrentStep = {
      async begin(transaction) {
        await lockOrganizationForUpdate(transaction, organizationId)
        await addMember(transaction, service().context, { organizationId, userId, role: 'owner' })
      },
    }
    const ownerEmail = newEmail()
    const inviteOwner = () => admin.client.post(INVITE_OWNER, { organizationId, ownerEmail })
    const { status, body } = await concurrently(service(), joining, inviteOwner)
    assert.deepEqual([status, body.code], [400, 'ORGANIZATION_HAS_OWNER'])
    assert.deepEqual(await service().emails(ownerEmail), [])
  })

  test('The sixth invitation of an owner to one email address within an hour returns 429 with the field ownerEmail', async () => {
    const admin = await administrator(service())
    const { organization } = await create(admin)
    const ownerEmail = newEmail()
    const inviteOwner = () => admin.client.post(INVITE_OWNER, { organizationId: organization.id, ownerEmail })
    for (let count = 0; count < 5; count += 1) {
      assert.equal((await inviteOwner()).status, 200)
      await leaseEmails(service())
    }
    const created = { name: 'Made', slug: `${organization.slug}-x`, ownerEmail }
    for (const { status, body } of [await inviteOwner(), await admin.client.post(CREATE, created)])
      assert.deepEqual([status, body.code, body.field], [429, 'TOO_MANY_REQUESTS', 'ownerEmail'])
  })

  test('invite-owner cancels any number of former invitations of owners with as many statements as one', async (t) => {
    // The statements that save them would be counted.
    await service().context.repeatedEvents.save()
    const admin = await administrator(service())
    const { database, now } = service().context
    const statementCounts: number[] = []
    for (const count of [1, 40]) {
      const { organization } = await create(admin)
      const organizationId = organization.id
      const inserted = Array.from({ length: count }, (_, index) => ({
        ...{ id: `inv_${organizationId}_${index}`, organizationId, email: newEmail(), role: 'owner' as const },
        ...{ inviterId: admin.id, status: 'pending' as const, secretHash: '', createdAt: now() },
        expiresAt: now() + (index % 2) * 60_000,
      }))
      await database.insertInto('invitations').values(inserted).execute()
      const statements = await statementsOf(t, service(), async () => {
        const { status } = await admin.client.post(INVITE_OWNER, { organizationId, ownerEmail: newEmail() })
        assert.equal(status, 200)
      })
      statementCounts.push(
        statements.filter(({ sql }) => /(update|insert into) "(invitation|auditEvents)/.test(sql)).length,
      )
      const canceled = await database
        .selectFrom('invitationEvents')
        .innerJoin('invitations', 'invitations.id', 'invitationEvents.invitationId')
        .innerJoin('auditEvents', 'auditEvents.subjectId', 'invitations.id')
        .select('invitations.id')
        .where('invitations.organizationId', '=', organizationId)
        .where('invitations.status', '=', 'canceled')
        .where('invitationEvents.event', '=', 'canceled')
        .where('auditEvents.action', '=', 'invitation.canceled')
        .execute()
      assert.equal(canceled.length, count + 1)
      const waiting = await database
        .selectFrom('outbox')
        .select('id')
        .where('organizationId', '=', organizationId)
        .where('failedAt', 'is', null)
        .execute()
      assert.equal(waiting.length, 1)
    }
    assert.equal(statementCounts[1], statementCounts[0])
  })

  test('invite-owner gives an organization whose only owner is banned another one, and keeps its other invitations', async () => {
    const admin = await administratorWithOrganization(service())
    const spammer = await member(service(), admin, 'owner')
    await admin.client.post('/api/auth/organization/leave', { organizationId: admin.organization.id })
    const hire = await member(service(), spammer, 'admin')
    const invited = await invite(service(), hire)
    const organizationId = spammer.organization.id
    await admin.client.post('/api/auth/admin/ban-user', { userId: spammer.id })
    const remove = () => admin.client.post('/api/auth/admin/remove-user', { userId: spammer.id })
    assert.equal((await remove()).body.code, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
    const { body } = await admin.client.get(`/api/auth/admin/get-organization?id=${organizationId}`)
    assert.deepEqual([body.organization.memberCount, body.organization.ownerCount], [2, 0])

    const { id } = (await admin.client.post(INVITE_OWNER, { organizationId, ownerEmail: hire.email })).body.invitation
    const accepted = await accept(hire, id)
    assert.deepEqual([accepted.status, accepted.body.member?.role], [200, 'owner'], 'a member becomes the owner')
    assert.equal((await remove()).status, 200)
    assert.equal((await accept(await signUp(service(), invited), invited.invitationId)).status, 200)
  })
})
