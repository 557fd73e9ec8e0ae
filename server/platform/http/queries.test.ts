import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../test/support/operations.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { administratorWithOrganization } from '../../../test/support/users.ts'

/** With a misspelled filter these routes would return everything. */
const FILTERING = [
  'admin/list-audit-events',
  'admin/list-emails',
  'admin/list-invitations',
  'admin/list-organizations',
  'admin/list-users',
  'organization/list-audit-events',
  'organization/list-invitations',
  'organization/list-members',
]

onEachDatabase('unknown query parameters', (service) => {
  test('Every route that does not filter ignores an unknown query parameter', async () => {
    const { client } = await administratorWithOrganization(service())
    const gets = (await operations(service())).filter(({ method }) => method === 'get')
    assert.ok(gets.length > 20)
    for (const { path } of gets) {
      const bare = await client.get(path)
      const more = await client.get(`${path}?utm_source=mail&__proto__=1&constructor=1`)
      const isFiltering = FILTERING.some((name) => path.endsWith(name))
      const expected = isFiltering ? [400, 'VALIDATION_ERROR'] : [bare.status, bare.body?.code]
      assert.deepEqual([more.status, more.body?.code], expected, path)
    }
  })

  test('An unknown query parameter has no effect on the handler', async () => {
    const one = await administratorWithOrganization(service())
    const other = await administratorWithOrganization(service())
    const query = `organizationId=${one.organization.id}&organizationSlug=${one.organization.slug}`
    const { body } = await other.client.get(`/api/auth/organization/get-active-member?${query}`)
    assert.equal(body.organizationId, other.organization.id)
  })
})
