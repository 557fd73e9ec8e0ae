import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { tokenIntrospection } from 'openid-client'
import { OPERATOR } from '../../server/core/audit/actor.ts'
import { inTransaction } from '../../server/core/in-transaction.ts'
import { addMember } from '../../server/core/memberships/add-member.ts'
import {
  authorizationRequest,
  codeIn,
  createTestApp,
  locationOf,
  payloadOf,
  signInTo,
  type TestApp,
} from '../support/openid.ts'
import { askToken, codeForm, errorIn, interactionIn, newCodeForm, refusalOf } from '../support/protocol.ts'
import { type Service, startService } from '../support/service.ts'
import { userWithRole } from '../support/staff.ts'
import { administrator, administratorWithOrganization, member, type TestMember } from '../support/users.ts'

const CHOOSE = '/api/auth/oauth2/choose-organization'
const API = 'https://api.example.com/v1?tenant=one'

describe('Resources and organizations', () => {
  let service: Service
  let app: TestApp
  let first: TestMember
  let second: TestMember
  /** A member of the first organization only. */
  let single: TestMember
  /** A member of both organizations. */
  let double: TestMember
  before(async () => {
    service = await startService({ engine: 'sqlite' })
    app = await createTestApp(service)
    first = await administratorWithOrganization(service)
    second = await administratorWithOrganization(service)
    single = await member(service, first)
    double = await newDouble()
  })
  after(() => service.stop())

  async function newDouble(): Promise<TestMember> {
    const user = await member(service, first)
    await inTransaction(service.context, OPERATOR, ({ transaction }) =>
      addMember(transaction, service.context, {
        organizationId: second.organization.id,
        userId: user.id,
        role: 'admin',
      }),
    )
    return user
  }

  const authorize = async (
    { client }: Pick<TestMember, 'client'>,
    parameters: Record<string, string | undefined> = {},
    to: TestApp = app,
  ) => client.get((await authorizationRequest(to, parameters)).path)
  const refresh = (refresh_token = '', more = {}) =>
    askToken(service, app, { grant_type: 'refresh_token', refresh_token, ...more })
  const audienceOf = (token: string) => payloadOf(token).aud

  test('A resource is in the audience with our constant, in a JWT of the type at+jwt for 15 minutes (RFC 8707, RFC 9068)', async () => {
    const form = await newCodeForm(single, app, { resource: API })
    const { body } = await askToken(service, app, form)
    const { aud, exp, iat, client_id, sub } = payloadOf(body.access_token)
    assert.deepEqual([aud, client_id, sub], [[API, 'accounts-services'], app.id, single.id])
    assert.equal(Number(exp) - Number(iat), 900)
    assert.equal(decodeProtectedHeader(body.access_token).typ, 'at+jwt')
    const { body: refreshed } = await refresh(body.refresh_token)
    assert.deepEqual(audienceOf(refreshed.access_token), [API, 'accounts-services'])
  })

  test('Without a resource, a token is for all services behind this one', async () => {
    assert.equal(audienceOf((await signInTo(single, app)).access_token), 'accounts-services')
  })

  test('A token is for a resource of the authorization, and for one at a time', async () => {
    const { path, codeVerifier } = await authorizationRequest(app, { resource: API })
    const both = `${path}&resource=https%3A%2F%2Fother.example.com`
    const redeem = async (more: Record<string, string>) =>
      askToken(service, app, { ...codeForm(codeIn(await single.client.get(both)), codeVerifier), ...more })
    assert.deepEqual(refusalOf(await redeem({})), [400, 'invalid_target'])
    assert.deepEqual(refusalOf(await redeem({ resource: 'https://third.example.com' })), [400, 'invalid_target'])
    const { body } = await redeem({ resource: 'https://other.example.com' })
    assert.deepEqual(audienceOf(body.access_token), ['https://other.example.com', 'accounts-services'])
    const { body: refreshed } = await refresh(body.refresh_token, { resource: API })
    assert.deepEqual(audienceOf(refreshed.access_token), [API, 'accounts-services'])
  })

  test('A resource is an https address without a fragment and credentials, also for a machine', async () => {
    const wrong = [
      'http://api.example.com',
      'https://api.example.com/#a',
      'https://a:b@api.example.com',
      'urn:api',
      'api',
      'accounts-services',
      app.id,
    ]
    for (const resource of wrong)
      assert.deepEqual(refusalOf(await askToken(service, app, { grant_type: 'client_credentials', resource })), [
        400,
        'invalid_target',
      ])
    const { body } = await askToken(service, app, { grant_type: 'client_credentials', resource: API })
    const { aud, sub, org_id } = payloadOf(body.access_token)
    assert.deepEqual([aud, sub, org_id, body.refresh_token], [[API, 'accounts-services'], app.id, undefined, undefined])
  })

  test('A machine of an organization gets the claims of its organization, without a role, also at introspection', async () => {
    const { id, slug } = first.organization
    const machine = await createTestApp(service, {}, { organizationId: id })
    const { body } = await askToken(service, machine, { grant_type: 'client_credentials', scope: 'organization' })
    const introspected = await tokenIntrospection(machine.config, body.access_token)
    for (const { sub, org_id, org_slug, org_role, is_staff } of [payloadOf(body.access_token), introspected])
      assert.deepEqual([sub, org_id, org_slug, org_role, is_staff], [machine.id, id, slug, undefined, undefined])
  })

  test('A machine that asks for unknown scopes only is refused, and gets the known ones beside them', async () => {
    const ask = (more: Record<string, string>) => askToken(service, app, { grant_type: 'client_credentials', ...more })
    assert.deepEqual(refusalOf(await ask({ scope: 'orders:read' })), [400, 'invalid_scope'])
    assert.equal((await ask({ scope: 'orders:read organization' })).body.scope, 'organization')
    assert.equal((await ask({})).status, 200)
  })

  test('A user in one organization is not asked, and one in several is', async () => {
    const tokens = await signInTo(single, app)
    assert.equal(tokens.claims()?.org_id, first.organization.id)
    const { query, resumePath } = interactionIn(await authorize(double), '/choose-organization')
    const page = await double.client.get(`/api/auth/oauth2/get-interaction?${query}`)
    assert.equal(page.body.kind, 'organization')
    assert.deepEqual(
      page.body.organizations.map(({ id }: { id: string }) => id).sort(),
      [first.organization.id, second.organization.id].sort(),
    )
    interactionIn(await double.client.get(resumePath), '/choose-organization')
  })

  test('The tokens are for the organization that the user chose on the page', async () => {
    const request = await authorizationRequest(app)
    const { query } = interactionIn(await double.client.get(request.path), '/choose-organization')
    const { body } = await double.client.post(CHOOSE, { organizationId: second.organization.id, oauth_query: query })
    const answer = await double.client.get(body.url)
    const { body: tokens } = await askToken(service, app, codeForm(codeIn(answer), request.codeVerifier))
    for (const token of [tokens.id_token, tokens.access_token]) {
      const { org_id, org_slug, org_role } = payloadOf(token)
      assert.deepEqual([org_id, org_slug, org_role], [second.organization.id, second.organization.slug, 'admin'])
    }
  })

  test("An organization without the user, and the page of another user, can't be chosen", async () => {
    const third = await administratorWithOrganization(service)
    const { query } = interactionIn(await authorize(double), '/choose-organization')
    const choose = ({ client }: TestMember, organizationId: string) =>
      client.post(CHOOSE, { organizationId, oauth_query: query })
    const foreign = await choose(double, third.organization.id)
    const unknown = await choose(double, 'org_unknown')
    assert.deepEqual([foreign.status, foreign.body.code], [404, 'ORGANIZATION_NOT_FOUND'])
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'ORGANIZATION_NOT_FOUND'])
    const other = await newDouble()
    assert.equal((await choose(other, second.organization.id)).body.code, 'INTERACTION_NOT_FOUND')
  })

  test('The parameter organization skips the page, and a foreign slug looks like an unknown one', async () => {
    const tokens = await signInTo(double, app, { organization: second.organization.slug })
    assert.equal(tokens.claims()?.org_id, second.organization.id)
    const refused = ['no-such-organization', second.organization.slug].map(async (organization) => {
      const { searchParams } = locationOf(await authorize(single, { organization }))
      searchParams.delete('state')
      return [...searchParams]
    })
    const [unknown, foreign] = await Promise.all(refused)
    assert.deepEqual(foreign, unknown)
    assert.equal(errorIn(await authorize(single, { organization: second.organization.slug })), 'access_denied')
    assert.equal(errorIn(await authorize(single, { organization: 'no-such', prompt: 'none' })), 'access_denied')
  })

  test('prompt=none needs a choice already: interaction_required with several organizations', async () => {
    assert.equal(errorIn(await authorize(double, { prompt: 'none' })), 'interaction_required')
    codeIn(await authorize(double, { prompt: 'none', organization: first.organization.slug }))
    codeIn(await authorize(double, { prompt: 'none', scope: 'openid' }))
  })

  test('A user in no organization gets access_denied', async () => {
    const user = await userWithRole(service, await administrator(service))
    assert.equal(errorIn(await authorize({ client: user.client })), 'access_denied')
  })

  test('The removal from an organization ends its tokens, and those of a client with another organization stay', async () => {
    const user = await newDouble()
    const other = await createTestApp(service)
    const ofFirst = await signInTo(user, app, { organization: first.organization.slug })
    const ofSecond = await signInTo(user, other, { organization: second.organization.slug })
    const form = await newCodeForm(user, app, { organization: first.organization.slug })
    const body = { memberIdOrEmail: user.email, organizationId: first.organization.id }
    assert.equal((await first.client.post('/api/auth/organization/remove-member', body)).status, 200)
    assert.deepEqual(await tokenIntrospection(app.config, ofFirst.access_token), { active: false })
    assert.deepEqual(refusalOf(await refresh(ofFirst.refresh_token)), [400, 'invalid_grant'])
    assert.deepEqual(refusalOf(await askToken(service, app, form)), [400, 'invalid_grant'])
    assert.equal((await tokenIntrospection(other.config, ofSecond.access_token)).active, true)
  })

  test('A new role is in the tokens of the next refresh', async () => {
    const user = await member(service, first)
    const tokens = await signInTo(user, app)
    await service.context.database.updateTable('members').set({ role: 'admin' }).where('userId', '=', user.id).execute()
    const { body } = await refresh(tokens.refresh_token)
    assert.deepEqual([tokens.claims()?.org_role, payloadOf(body.access_token).org_role], ['member', 'admin'])
  })

  test('A consent for one organization is no consent for another one of the user', async () => {
    const user = await newDouble()
    const other = await createTestApp(service, {}, { skipConsent: 0 })
    const scope = 'openid organization'
    const allow = async ({ organization: { slug } }: TestMember, allowed?: string) => {
      const asked = await authorize(user, { scope, organization: slug }, other)
      const { query, resumePath } = interactionIn(asked, '/consent')
      const { body } = await user.client.get(`/api/auth/oauth2/get-interaction?${query}`)
      assert.deepEqual(
        body.organizations.map((shown: { slug: string }) => shown.slug),
        [slug],
      )
      const answer = { accept: true, oauth_query: query, ...(allowed !== undefined && { scope: allowed }) }
      assert.equal((await user.client.post('/api/auth/oauth2/consent', answer)).status, 200)
      return user.client.get(resumePath)
    }
    const askSilently = ({ organization: { slug } }: TestMember) =>
      authorize(user, { scope, organization: slug, prompt: 'none' }, other)

    codeIn(await allow(first))
    codeIn(await askSilently(first))
    assert.equal(errorIn(await askSilently(second)), 'consent_required')
    codeIn(await allow(second, 'openid'))
    assert.equal(errorIn(await askSilently(second)), 'consent_required', 'the user left the organization out')
    codeIn(await allow(second))
    for (const founder of [first, second]) codeIn(await askSilently(founder))
    codeIn(await authorize(user, { scope: 'openid', prompt: 'none' }, other))
  })
})
