import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { userWithRole } from '../../../../test/support/staff.ts'
import { statementsOf } from '../../../../test/support/statements.ts'
import { administrator, PASSWORD, type TestUser } from '../../../../test/support/users.ts'
import { newId } from '../../../platform/crypto/tokens.ts'

const FEW = 2
const MANY = 30

onEachDatabase('A user of many organizations', (service) => {
  const database = () => service().context.database

  /**
   * Adds `count` organizations of the user alone and `count` with the staff member as second owner, each with an API
   * key.
   */
  async function addOrganizations(user: TestUser, staff: TestUser, count: number) {
    const { context } = service()
    const ids = Array.from({ length: 2 * count }, () => newId('org', context))
    const shared = ids.slice(count)
    await database()
      .insertInto('organizations')
      .values(ids.map((id) => ({ id, name: 'Example', slug: id.replace('_', '-'), createdAt: 1, requireTwoFactor: 0 })))
      .execute()
    const memberOf = (userId: string) => (organizationId: string) => ({
      id: newId('mem', context),
      organizationId,
      userId,
      role: 'owner' as const,
      createdAt: 1,
    })
    await database()
      .insertInto('members')
      .values([...ids.map(memberOf(user.id)), ...shared.map(memberOf(staff.id))])
      .execute()
    const keys = ids.map((organizationId) => ({
      id: newId('apk', context),
      organizationId,
      name: 'Export',
      role: 'member' as const,
      keyHash: organizationId,
      createdBy: user.id,
      enabled: 1,
      createdAt: 1,
      updatedAt: 1,
    }))
    await database().insertInto('apiKeys').values(keys).execute()
    return { ids, shared }
  }

  const countsOf = async (
    t: TestContext,
    request: (user: TestUser, staff: TestUser) => Promise<{ status: number }>,
  ) => {
    const staff = await administrator(service())
    const counts: number[] = []
    // The first request fills caches.
    for (const count of [FEW, FEW, MANY]) {
      const user = await userWithRole(service(), staff)
      const { ids, shared } = await addOrganizations(user, staff, count)
      // A session that is read first after a commit may be read twice.
      for (const { client } of [user, staff]) await client.get('/api/auth/get-session')
      const statements = await statementsOf(t, service(), async () => {
        assert.equal((await request(user, staff)).status, 200)
      })
      counts.push(statements.length)
      await assertDeleted(user.id, ids, shared)
    }
    return counts.slice(1)
  }

  async function assertDeleted(userId: string, ids: string[], shared: string[]) {
    const rows = await database().selectFrom('organizations').select('id').where('id', 'in', ids).execute()
    assert.deepEqual(rows.map(({ id }) => id).toSorted(), shared.toSorted())
    const events = await database()
      .selectFrom('auditEvents')
      .select(['action', 'subjectId', 'organizationId', 'details'])
      .where('organizationId', 'in', ids)
      .where('action', 'in', ['organization.deleted', 'member.left'])
      .execute()
    const eventOf = (id: string) => events.filter(({ organizationId }) => organizationId === id)
    for (const id of ids) {
      const [event, ...others] = eventOf(id)
      assert.equal(others.length, 0)
      const details = JSON.parse(event?.details ?? '')
      if (shared.includes(id)) {
        assert.deepEqual([event?.action, event?.subjectId, details.role], ['member.left', userId, 'owner'])
        continue
      }
      const counts = { memberCount: 1, invitationCount: 0, apiKeyCount: 1, oauthClientCount: 0 }
      assert.deepEqual([event?.action, details], ['organization.deleted', { slug: id.replace('_', '-'), ...counts }])
    }
  }

  test('delete-user executes as many statements for 60 organizations as for 4', async (t) => {
    const [few, many] = await countsOf(t, ({ client }) => client.post('/api/auth/delete-user', { password: PASSWORD }))
    assert.equal(many, few)
  })

  test('admin/remove-user with API keys executes as many statements for 60 organizations as for 4', async (t) => {
    const [few, many] = await countsOf(t, ({ id: userId }, staff) =>
      staff.client.post('/api/auth/admin/remove-user', { userId, revokeApiKeys: true }),
    )
    assert.equal(many, few)
  })

  test('delete-user/preview executes as many statements for 60 organizations as for 4', async (t) => {
    const staff = await administrator(service())
    const counts: number[] = []
    for (const count of [FEW, FEW, MANY]) {
      const user = await userWithRole(service(), staff)
      await addOrganizations(user, staff, count)
      const statements = await statementsOf(t, service(), async () => {
        const { body } = await user.client.get('/api/auth/delete-user/preview')
        const { organizationsDeleted, membershipsEnded, apiKeys } = body
        assert.deepEqual([organizationsDeleted.length, membershipsEnded.length, apiKeys], [count, count, count])
      })
      counts.push(statements.length)
    }
    assert.equal(counts[2], counts[1])
  })
})
