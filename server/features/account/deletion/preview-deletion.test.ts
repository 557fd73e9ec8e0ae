import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { userWithRole } from '../../../../test/support/staff.ts'
import { statementsOf } from '../../../../test/support/statements.ts'
import {
  administrator,
  administratorWithOrganization,
  member,
  newEmail,
  PASSWORD,
  type TestMember,
} from '../../../../test/support/users.ts'
import type { Context } from '../../../core/context.ts'
import { previewDeletion } from './preview-deletion.ts'

const PREVIEW = '/api/auth/delete-user/preview'
const ONLY_OWNER = 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER'

onEachDatabase('delete-user/preview', (service) => {
  const createOrganization = async ({ client }: Pick<TestMember, 'client'>, name: string) => {
    const slug = newEmail().replace(/[^a-z0-9]/g, '-')
    const { body } = await client.post('/api/auth/organization/create', { name, slug })
    return { id: body.id as string, name, slug }
  }

  test('delete-user/preview lists what delete-user deletes, and changes nothing', async () => {
    const user = await userWithRole(service(), await administrator(service()))
    const { client } = user
    const nothing = { obstacles: [], organizationsDeleted: [], membershipsEnded: [], apiKeys: 0 }
    assert.deepEqual((await client.get(PREVIEW)).body, nothing)
    const own = await createOrganization(user, 'Alone Works')
    for (const name of ['Export', 'Import'])
      await client.post('/api/auth/api-key/create', { name, organizationId: own.id })
    assert.deepEqual((await client.get(PREVIEW)).body, { ...nothing, organizationsDeleted: [own], apiKeys: 2 })
    assert.equal((await client.get('/api/auth/organization/list')).body.length, 1)
    assert.equal((await client.post('/api/auth/delete-user', { password: PASSWORD })).status, 200)
    const left = service().context.database.selectFrom('organizations').select('id').where('id', '=', own.id)
    assert.deepEqual(await left.execute(), [])
  })

  test('delete-user with the organizations of the preview is refused when another one would be deleted now', async () => {
    const boss = await administratorWithOrganization(service())
    const owner = await member(service(), boss)
    const { database } = service().context
    await database.updateTable('members').set({ role: 'owner' }).where('userId', '=', owner.id).execute()
    assert.deepEqual((await owner.client.get(PREVIEW)).body.organizationsDeleted, [])
    const left = await boss.client.post('/api/auth/organization/leave', { organizationId: boss.organization.id })
    assert.equal(left.status, 200, JSON.stringify(left.body))
    const deletion = (expectedOrganizationsDeleted: string[]) =>
      owner.client.post('/api/auth/delete-user', { password: PASSWORD, expectedOrganizationsDeleted })
    const refused = await deletion([])
    assert.deepEqual([refused.status, refused.body.code], [400, 'DELETION_CHANGED'])
    const byLink = await owner.client.post('/api/auth/delete-user', { expectedOrganizationsDeleted: [] })
    assert.deepEqual([byLink.status, byLink.body.code], [400, 'VALIDATION_ERROR'], 'a link would not compare them')
    const organizations = database.selectFrom('organizations').select('id').where('id', '=', boss.organization.id)
    assert.equal((await organizations.execute()).length, 1)
    assert.equal((await deletion([boss.organization.id])).status, 200)
    assert.deepEqual(await organizations.execute(), [])
  })

  test('delete-user/preview names the organizations that need another owner, and those that the user leaves', async () => {
    const boss = await administratorWithOrganization(service())
    const { id, name, slug } = boss.organization
    const hire = await member(service(), boss)
    const { body } = await hire.client.get(PREVIEW)
    assert.deepEqual([body.obstacles, body.membershipsEnded], [[], [{ id, name, slug }]])
    const { obstacles } = (await boss.client.get(PREVIEW)).body
    assert.ok(
      obstacles.some((obstacle: object) => JSON.stringify(obstacle).includes(`${id}","name":"${name}"`)),
      JSON.stringify(obstacles),
    )
    const refused = await boss.client.post('/api/auth/delete-user', { password: PASSWORD })
    assert.ok(obstacles.some(({ reason }: { reason: string }) => reason === refused.body.code))
    assert.ok(obstacles.some(({ reason }: { reason: string }) => reason === ONLY_OWNER))
  })

  test('delete-user/preview reads on the connections for long reads, and searches other owners only for an owner', async (t) => {
    const boss = await administratorWithOrganization(service())
    const { id, client } = await member(service(), boss)
    const { database, ...context } = service().context
    const user = await database.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const statements = await statementsOf(t, service(), async () => {
      assert.deepEqual(await previewDeletion(context as Context, user), (await client.get(PREVIEW)).body)
    })
    assert.doesNotMatch(statements.map(({ sql }) => sql).join(), /count\(|from "users" inner join "members"/)
  })

  test('delete-user/preview names the last administrator as an obstacle', async () => {
    const admin = await administrator(service())
    const isLast = async () =>
      (await admin.client.get(PREVIEW)).body.obstacles.some(
        ({ reason, organizationId }: { reason: string; organizationId: string | null }) =>
          reason === 'LAST_ADMINISTRATOR' && organizationId === null,
      )
    assert.equal(await isLast(), true)
    const other = await userWithRole(service(), admin, 'admin')
    assert.equal(await isLast(), false)
    await admin.client.post('/api/auth/admin/ban-user', { userId: other.id })
    assert.equal(await isLast(), true)
  })
})
