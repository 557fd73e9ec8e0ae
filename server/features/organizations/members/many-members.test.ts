import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertMembers } from '../../../../test/support/many-members.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { statementsOf } from '../../../../test/support/statements.ts'
import { administratorWithOrganization, invite, type TestMember } from '../../../../test/support/users.ts'
import { listInvitations } from '../invitations/list-invitations.ts'
import { listMembers } from './list-members.ts'

const MEMBERS = 1_000
const PAGE = 100

onEachDatabase(`An organization of ${MEMBERS} members`, (service) => {
  let founder: TestMember
  const filled = async (): Promise<TestMember> => {
    if (founder) return founder
    founder = await administratorWithOrganization(service())
    await insertMembers(service(), founder.organization.id, MEMBERS)
    return founder
  }

  for (const [path, query] of [
    ['list-members', ''],
    ['list-members', '&limit=100&offset=900'],
    ['list-members', '&sortBy=name&sortDirection=desc&offset=500'],
    ['list-members', '&filterField=email&filterOperator=contains&filterValue=PERSON'],
    ['get-full-organization', ''],
  ]) {
    test(`${path} ${query} reads one page of members from the database`, async (t) => {
      const { client, organization } = await filled()
      const url = `/api/auth/organization/${path}?organizationId=${organization.id}${query}`
      let shown = 0
      const statements = await statementsOf(t, service(), async () => {
        const { status, body } = await client.get(url)
        assert.equal(status, 200, JSON.stringify(body))
        shown = body.members.length
        if (path === 'list-members') assert.ok(body.total >= MEMBERS)
      })
      assert.equal(shown, PAGE)
      assert.ok(statements.length > 0)
      for (const { sql: statement, rowCount } of statements) assert.ok(rowCount <= PAGE, `${rowCount}: ${statement}`)
    })
  }

  test('list-members and list-invitations read off the main thread, so that session checks do not wait', async () => {
    const { organization } = await filled()
    await invite(service(), founder)
    // Without the database of the main thread.
    const { slowReads, now } = service().context
    assert.equal((await listMembers({ slowReads }, organization.id, {})).total, MEMBERS + 1)
    assert.equal((await listInvitations({ slowReads, now }, organization.id, {})).total, 1)
  })

  test('list-members refuses pages of more than 100 members', async () => {
    const { client, organization } = await filled()
    const { id } = organization
    for (const limit of ['101', '10000']) {
      const list = await client.get(`/api/auth/organization/list-members?organizationId=${id}&limit=${limit}`)
      assert.deepEqual([list.status, list.body.field], [400, 'limit'])
      const full = await client.get(
        `/api/auth/organization/get-full-organization?organizationId=${id}&membersLimit=${limit}`,
      )
      assert.deepEqual([full.status, full.body.field], [400, 'membersLimit'])
    }
  })
})
