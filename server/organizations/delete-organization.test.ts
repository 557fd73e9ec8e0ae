import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invite, member, owner } from '../../test/support/people.ts'
import { onEachDatabase } from '../../test/support/service.ts'

const ORGANIZATION = '/api/auth/organization'

onEachDatabase('Deleting an organization', (service) => {
  test('is for owners, and takes all that is in it; the people stay', async () => {
    const founder = await owner(service())
    const { id: organizationId, slug } = founder.organization
    const admin = await member(service(), founder, 'admin')
    const invited = await invite(service(), founder)
    const { key } = (await founder.client.post('/api/auth/api-key/create', { name: 'key', organizationId })).body
    const refused = await admin.client.post(`${ORGANIZATION}/delete`, { organizationId })
    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'])

    const deleted = await founder.client.post(`${ORGANIZATION}/delete`, { organizationId })
    assert.deepEqual([deleted.status, deleted.body], [200, organizationId])
    assert.match(deleted.headers.get('content-type') ?? '', /^application\/json/)
    assert.equal((await admin.client.get('/api/auth/get-session')).body.session.activeOrganizationId, null)
    assert.equal((await admin.client.get(`/api/token?org=${slug}`)).status, 404)
    const byKey = await service()
      .client()
      .get(`/api/token?org=${slug}`, { headers: { 'x-api-key': key } })
    assert.deepEqual([byKey.status, byKey.body.code], [401, 'INVALID_API_KEY'])
    const opened = await service().client().get(invited.linkPath)
    assert.equal(opened.headers.get('location'), '/invitation?error=INVITATION_NOT_FOUND')
    assert.equal((await founder.client.post(`${ORGANIZATION}/delete`, { organizationId })).status, 404)
  })
})
