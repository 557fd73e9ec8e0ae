import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearerClient } from '../../../test/support/bearer-client.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { administrator, administratorWithOrganization, member, type TestMember } from '../../../test/support/users.ts'

const HOUR = 3_600_000

onEachDatabase('Last use of an organization', (service) => {
  async function lastUse({ client }: TestMember, { id, organization }: TestMember): Promise<string> {
    const { body } = await client.get(`/api/auth/organization/list-members?organizationId=${organization.id}`)
    return body.members.find(({ userId }: { userId: string }) => userId === id).lastUsedAt
  }

  test('lastUsedAt of a member is updated by a token and by a route of the organization, once an hour', async () => {
    const founder = await administratorWithOrganization(service())
    const hire = await member(service(), founder)
    const first = await lastUse(founder, hire)
    const token = () => hire.client.get(`/api/token?org=${hire.organization.slug}`)
    const overview = () => hire.client.get(`/api/auth/organization/get-overview?organizationId=${hire.organization.id}`)

    service().advance(HOUR / 2)
    await token()
    assert.equal(await lastUse(founder, hire), first)
    service().advance(HOUR)
    assert.equal((await token()).status, 200)
    const second = await lastUse(founder, hire)
    assert.ok(Date.parse(second) >= Date.parse(first) + HOUR)
    service().advance(HOUR)
    assert.equal((await overview()).status, 200)
    assert.ok(Date.parse(await lastUse(founder, hire)) >= Date.parse(second) + HOUR)
  })

  test('lastUsedAt of a member is not updated by staff who impersonate the member', async () => {
    const founder = await administratorWithOrganization(service())
    const hire = await member(service(), founder)
    const before = await lastUse(founder, hire)
    service().advance(2 * HOUR)
    const admin = await administrator(service())
    const { body } = await admin.client.post('/api/auth/admin/impersonate-user', { userId: hire.id })
    const impersonator = bearerClient(service(), { token: body.session.token })
    assert.equal((await impersonator.get(`/api/token?org=${hire.organization.slug}`)).status, 200)
    assert.equal(await lastUse(founder, hire), before)
  })
})
