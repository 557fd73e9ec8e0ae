import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearerClient } from '../../../../test/support/bearer-client.ts'
import { insertTestClient } from '../../../../test/support/oauth-clients.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { statementsOf } from '../../../../test/support/statements.ts'
import { administrator, administratorWithOrganization, invite, member } from '../../../../test/support/users.ts'

const OVERVIEW = '/api/auth/organization/get-overview'
const DAY_SECONDS = 86_400

onEachDatabase('get-overview', (service) => {
  test('get-overview has the counts and the expiring API keys, which members and impersonators do not see', async () => {
    const founder = await administratorWithOrganization(service(), { 'client-code': 'W-1' })
    const { client, organization } = founder
    const hire = await member(service(), founder)
    const admin = await member(service(), founder, 'admin')
    await invite(service(), founder)
    const create = (name: string, expiresIn: number | null) =>
      client.post('/api/auth/api-key/create', { name, expiresIn, organizationId: organization.id })
    const soon = await create('soon', 3 * DAY_SECONDS)
    await create('later', 30 * DAY_SECONDS)
    await create('never', null)
    const disabled = await create('disabled', 3 * DAY_SECONDS)
    await client.post('/api/auth/api-key/update', { keyId: disabled.body.id, enabled: false })

    await insertTestClient(service(), {}, { organizationId: organization.id })
    await insertTestClient(service())

    const { status, body } = await client.get(`${OVERVIEW}?organizationSlug=${organization.slug}`)
    assert.equal(status, 200, JSON.stringify(body))
    const { organization: shown, ...rest } = body
    assert.deepEqual([shown.id, shown.slug], [organization.id, organization.slug])
    const expected = {
      role: 'owner',
      memberCounts: { owner: 1, admin: 1, member: 1 },
      openInvitationCount: 1,
      apiKeyCount: 4,
      oauthClientCount: 1,
      expiringApiKeys: [{ id: soon.body.id, name: 'soon', expiresAt: soon.body.expiresAt }],
      clientCode: 'W-1',
    }
    assert.deepEqual(rest, expected)
    const ofMember = await hire.client.get(`${OVERVIEW}?organizationId=${organization.id}`)
    assert.deepEqual([ofMember.body.role, ofMember.body.expiringApiKeys], ['member', []])

    const staff = await administrator(service())
    const { body: impersonation } = await staff.client.post('/api/auth/admin/impersonate-user', { userId: admin.id })
    const impersonator = bearerClient(service(), { token: impersonation.session.token })
    const ofImpersonator = await impersonator.get(`${OVERVIEW}?organizationId=${organization.id}`)
    assert.deepEqual([ofImpersonator.body.role, ofImpersonator.body.expiringApiKeys], ['admin', []])
  })

  test("get-overview leaves out an API key that a rotation has replaced, because it can't be rotated again", async () => {
    const { client, organization } = await administratorWithOrganization(service())
    const { body: old } = await client.post('/api/auth/api-key/create', { name: 'Export' })
    const expiring = async () =>
      (await client.get(`${OVERVIEW}?organizationId=${organization.id}`)).body.expiringApiKeys
    assert.equal((await client.post('/api/auth/api-key/rotate', { keyId: old.id })).status, 200)
    assert.deepEqual(await expiring(), [])
    // A new expiry ends the overlap.
    await client.post('/api/auth/api-key/update', { keyId: old.id, expiresIn: DAY_SECONDS })
    assert.deepEqual(
      (await expiring()).map(({ id }: { id: string }) => id),
      [old.id],
    )
  })

  test('get-overview executes no two statements concurrently', async (t) => {
    const { client, organization } = await administratorWithOrganization(service())
    const statements = await statementsOf(t, service(), () =>
      client.get(`${OVERVIEW}?organizationId=${organization.id}`),
    )
    assert.ok(statements.some(({ sql }) => sql.includes('from "oauthClients"')))
    assert.deepEqual(
      statements.filter(({ concurrentCount }) => concurrentCount > 0),
      [],
    )
  })

  test('organization/list has the role of the caller in each organization', async () => {
    const founder = await administratorWithOrganization(service())
    const hire = await member(service(), founder, 'admin')
    const { body } = await hire.client.get('/api/auth/organization/list')
    assert.deepEqual(
      body.map(({ id, role }: { id: string; role: string }) => [id, role]),
      [[founder.organization.id, 'admin']],
    )
  })
})
