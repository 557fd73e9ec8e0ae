import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../../../test/support/client.ts'
import { insertTestClient } from '../../../../test/support/oauth-clients.ts'
import { authorizationRequest, locationOf, REDIRECT_URI } from '../../../../test/support/openid.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { administratorWithOrganization, joinOrganization, newMember } from '../../../../test/support/users.ts'

const AUTH = '/api/auth/oauth2'

onEachDatabase('get-interaction', (service) => {
  /** A user of two organizations, and an app that wants to know one. */
  async function visit(createdBy: string | null) {
    const user = await newMember(service())
    const second = await administratorWithOrganization(service())
    await joinOrganization(service(), user, second)
    const metadata = { redirect_uris: [REDIRECT_URI], scope: 'openid organization' }
    const app = await insertTestClient(service(), metadata, { createdBy })
    return { user, second, app }
  }
  const interactionAt = async (client: Client, path: string, page: string) => {
    const location = locationOf(await client.get(path))
    assert.equal(location.pathname, page)
    const { body } = await client.get(`${AUTH}/get-interaction${location.search}`)
    return { body, query: location.search.slice(1) }
  }
  const idsIn = ({ organizations }: { organizations: { id: string }[] }) => organizations.map(({ id }) => id)

  test('get-interaction has all organizations to choose from, then the chosen one for consent', async () => {
    const { user, second, app } = await visit('usr_operator')
    const { path } = await authorizationRequest(app, { scope: 'openid organization' })
    const choice = await interactionAt(user.client, path, '/choose-organization')
    assert.deepEqual(idsIn(choice.body).sort(), [user.organization.id, second.organization.id].sort())
    const body = { organizationId: second.organization.id, oauth_query: choice.query }
    const { body: chosen } = await user.client.post(`${AUTH}/choose-organization`, body)
    const consent = await interactionAt(user.client, chosen.url, '/consent')
    assert.deepEqual(idsIn(consent.body), [second.organization.id])
    assert.equal(consent.body.client.isSelfRegistered, false)
  })

  test('get-interaction has all of 1,001 organizations to choose from, and the newest one for consent', async () => {
    const { database } = service().context
    const user = await newMember(service())
    const ids = Array.from({ length: 1_000 }, (_, index) => `org_${user.id}_${index}`)
    const organizations = ids.map((id, index) => ({ id, name: id, slug: `older-${index}`, createdAt: 1 }))
    await database
      .insertInto('organizations')
      .values(organizations.map((row) => ({ ...row, requireTwoFactor: 0 })))
      .execute()
    const memberships = ids.map((id) => ({ id: `mem_${id}`, organizationId: id, userId: user.id, createdAt: 1 }))
    await database
      .insertInto('members')
      .values(memberships.map((row) => ({ ...row, role: 'member' as const })))
      .execute()
    const metadata = { redirect_uris: [REDIRECT_URI], scope: 'openid organization' }
    const app = await insertTestClient(service(), metadata)
    const { path } = await authorizationRequest(app, { scope: 'openid organization' })
    const choice = await interactionAt(user.client, path, '/choose-organization')
    assert.deepEqual(idsIn(choice.body).sort(), [...ids, user.organization.id].sort())
    const consent = await interactionAt(user.client, `${path}&organization=${user.organization.slug}`, '/consent')
    assert.deepEqual(idsIn(consent.body), [user.organization.id])
  })

  test('get-interaction about another user returns 404, and a browser without a session learns of no user', async () => {
    const { user, app } = await visit(null)
    const { path } = await authorizationRequest(app, { scope: 'openid' })
    const { search } = locationOf(await user.client.get(path))
    const other = await newMember(service())
    const refused = await other.client.get(`${AUTH}/get-interaction${search}`)
    assert.deepEqual([refused.status, refused.body.code], [404, 'INTERACTION_NOT_FOUND'])
    const { body } = await service().client().get(`${AUTH}/get-interaction${search}`)
    assert.deepEqual([body.kind, body.user, body.organizations], ['consent', null, []])
  })

  test('get-interaction has the organization that the app names, and says that the app registered itself', async () => {
    const { user, app } = await visit(null)
    const named = { scope: 'openid organization', organization: user.organization.slug }
    const { path } = await authorizationRequest(app, named)
    const { body } = await interactionAt(user.client, path, '/consent')
    assert.deepEqual(idsIn(body), [user.organization.id])
    assert.equal(body.client.isSelfRegistered, true)
  })
})
