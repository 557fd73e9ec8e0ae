import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  afterTransactions,
  beforeTransactions,
  type ConcurrentStep,
  concurrently,
  endingSessions,
} from '../../../../test/support/concurrently.ts'
import { insertTestInvitations } from '../../../../test/support/many-invitations.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { userWithRole } from '../../../../test/support/staff.ts'
import { statementsOf } from '../../../../test/support/statements.ts'
import {
  administrator,
  invite,
  joinOrganization,
  member,
  newEmail,
  PASSWORD,
  type TestMember,
  type TestUser,
  tokenIn,
} from '../../../../test/support/users.ts'
import { addMember } from '../../../core/memberships/add-member.ts'
import { lockOrganizationForShare } from '../../../core/memberships/lock-membership.ts'
import { isDiscarded } from '../../../platform/mail/discarded-emails.ts'

const DELETE = '/api/auth/delete-user'
const REMOVE = '/api/auth/admin/remove-user'

onEachDatabase('The deletion of a user whose own organization has many invitations', (service) => {
  /** A user with an organization without another member. It has 501 invitations that have ended, and 2 open ones. */
  async function ownerAlone(role: 'user' | 'admin' = 'user'): Promise<TestMember> {
    const owner = await userWithRole(service(), await administrator(service()), role)
    const body = { name: 'Own Works', slug: newEmail().split('@')[0] }
    const { body: organization } = await owner.client.post('/api/auth/organization/create', body)
    await insertTestInvitations(service(), organization.id, 251)
    await insertTestInvitations(service(), organization.id, 250, { status: 'pending', expiresAt: 1 })
    const expiresAt = service().context.now() + 60_000
    await insertTestInvitations(service(), organization.id, 2, { status: 'pending', expiresAt })
    return { ...owner, organization }
  }
  const countInvitations = async ({ organization }: TestMember) => {
    const { database } = service().context
    const rows = database.selectFrom('invitations').select('id').where('organizationId', '=', organization.id)
    return (await rows.execute()).length
  }
  const linkTo = async ({ client, email }: TestUser) => {
    assert.equal((await client.post(DELETE)).status, 200)
    return `${DELETE}/callback?token=${await tokenIn(service(), email)}`
  }
  const remove = async ({ id: userId }: TestUser) => (await administrator(service())).client.post(REMOVE, { userId })

  const ways: [name: string, run: (owner: TestMember) => Promise<{ status: number }>, isOwn: boolean][] = [
    ['delete-user', ({ client }) => client.post(DELETE, { password: PASSWORD }), true],
    [
      'delete-user/callback',
      async (owner) =>
        service()
          .client()
          .get(await linkTo(owner)),
      true,
    ],
    ['admin/remove-user', remove, false],
  ]
  for (const [name, run, isOwn] of ways)
    test(`${name} deletes the invitations that have ended in batches of 500 before, and only the open ones with the organization`, async (t) => {
      const owner = await ownerAlone()
      const statements = await statementsOf(t, service(), async () => assert.equal((await run(owner)).status, 200))
      const batches = statements.filter(({ sql }) => sql.includes('delete from "invitations"'))
      assert.deepEqual(
        batches.map(({ rowCount }) => rowCount),
        [500, 1],
      )
      assert.equal(await countInvitations(owner), 0)
      const events = await service()
        .context.database.selectFrom('auditEvents')
        .select(['action', 'actorId', 'details'])
        .where('organizationId', '=', owner.organization.id)
        .where('action', 'like', 'organization.delet%')
        .orderBy('id')
        .execute()
      assert.deepEqual(
        events.map(({ action, details }) => [action, JSON.parse(details).invitationCount]),
        [
          ['organization.deletion-started', 503],
          ['organization.deleted', 2],
        ],
      )
      assert.ok(events.every(({ actorId }) => (actorId === owner.id) === isOwn))
    })

  const listDeletionEvents = async ({ organization }: TestMember) => {
    const events = await service()
      .context.database.selectFrom('auditEvents')
      .select('action')
      .where('organizationId', '=', organization.id)
      .where('action', 'like', 'organization.delet%')
      .execute()
    return events.map(({ action }) => action)
  }

  test('A deletion deletes no invitation of an organization that a user joins concurrently, also as an owner', async () => {
    for (const [role, status] of [
      ['member', 400],
      ['owner', 200],
    ] as const) {
      const owner = await ownerAlone()
      const { id: userId } = await userWithRole(service(), await administrator(service()))
      const { id: organizationId } = owner.organization
      const join: ConcurrentStep = {
        begin: (transaction) => lockOrganizationForShare(transaction, organizationId),
        finish: (transaction) => addMember(transaction, service().context, { organizationId, userId, role }),
      }
      const answer = await concurrently(service(), join, () => owner.client.post(DELETE, { password: PASSWORD }))
      assert.equal(answer.status, status, JSON.stringify(answer.body))
      assert.equal(await countInvitations(owner), 503)
      assert.deepEqual(await listDeletionEvents(owner), [])
    }
  })

  /** Deletes the owner. A user joins the organization after this number of transactions. */
  async function deleteWhileJoined(owner: TestMember, transactionCount: number) {
    const hire = await userWithRole(service(), await administrator(service()))
    const join = () => joinOrganization(service(), hire, owner)
    return afterTransactions(service(), transactionCount, join, () => owner.client.post(DELETE, { password: PASSWORD }))
  }

  test('A user who joins an organization during the deletion of its only owner stops the next batch', async () => {
    const owner = await ownerAlone()
    const refused = await deleteWhileJoined(owner, 2)
    assert.equal(refused.body.code, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
    assert.equal(await countInvitations(owner), 3)
  })

  test('A deletion that is refused after its batches sends no waiting email of an invitation that it has deleted', async () => {
    const owner = await ownerAlone()
    const { invitationId } = await invite(service(), owner)
    const { database } = service().context
    await database.updateTable('invitations').set({ expiresAt: 1 }).where('id', '=', invitationId).execute()
    const refused = await deleteWhileJoined(owner, 3)
    assert.equal(refused.body.code, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
    assert.equal(await countInvitations(owner), 2)
    const emails = database.selectFrom('outbox').select('lastError').where('subjectId', '=', invitationId)
    assert.deepEqual(
      (await emails.execute()).map(({ lastError }) => isDiscarded(lastError)),
      [true],
    )
  })

  test('A deletion of an organization with more than 500 open invitations and no other is no deletion in batches', async () => {
    const owner = await userWithRole(service(), await administrator(service()))
    const body = { name: 'Own Works', slug: newEmail().split('@')[0] }
    const { body: organization } = await owner.client.post('/api/auth/organization/create', body)
    const expiresAt = service().context.now() + 60_000
    await insertTestInvitations(service(), organization.id, 501, { status: 'pending', expiresAt })
    assert.equal((await owner.client.post(DELETE, { password: PASSWORD })).status, 200)
    assert.deepEqual(await listDeletionEvents({ ...owner, organization }), ['organization.deleted'])
  })

  test('A deletion that is refused because of another organization, a session, a link or a role deletes no invitation', async () => {
    const owner = await ownerAlone()
    const removeIt = () => remove(owner)
    const demote = () =>
      service()
        .context.database.updateTable('users')
        .set({ role: 'user' })
        .where('email', '=', 'admin@example.com')
        .execute()
    const forbidden = await beforeTransactions(service(), REMOVE, demote, removeIt)
    await service()
      .context.database.updateTable('users')
      .set({ role: 'admin' })
      .where('email', '=', 'admin@example.com')
      .execute()
    assert.equal(forbidden.body.code, 'FORBIDDEN')

    const link = await linkTo(owner)
    const revokeLink = () =>
      service().context.database.deleteFrom('singleUseTokens').where('userId', '=', owner.id).execute()
    const invalid = await afterTransactions(service(), 0, revokeLink, () => service().client().get(link))
    assert.equal(invalid.body.code, 'INVALID_TOKEN')

    const { body: shared } = await owner.client.post('/api/auth/organization/create', {
      name: 'Shared Works',
      slug: newEmail().split('@')[0],
    })
    await member(service(), { ...owner, organization: shared })
    const deleteIt = () => owner.client.post(DELETE, { password: PASSWORD })
    assert.equal((await deleteIt()).body.code, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
    await owner.client.post('/api/auth/organization/delete', { organizationId: shared.id })

    const unauthorized = await endingSessions(service(), { path: DELETE, ending: 'revoked' }, deleteIt)
    assert.equal(unauthorized.body.code, 'UNAUTHORIZED')
    assert.equal(await countInvitations(owner), 503)
  })

  test('A deletion of the last administrator deletes no invitation', async () => {
    const owner = await ownerAlone('admin')
    const { database } = service().context
    const other = database.updateTable('users').where('email', '=', 'admin@example.com')
    await other.set({ emailVerified: 0 }).execute()
    const { body } = await owner.client.post(DELETE, { password: PASSWORD })
    await other.set({ emailVerified: 1 }).execute()
    assert.deepEqual([body.code, await countInvitations(owner)], ['LAST_ADMINISTRATOR', 503])
    await database.updateTable('users').set({ role: 'user' }).where('id', '=', owner.id).execute()
  })
})
