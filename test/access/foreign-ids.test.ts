import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { operations } from '../support/operations.ts'
import { onEachDatabase } from '../support/service.ts'
import {
  administratorWithOrganization,
  invite,
  member,
  newEmail,
  newMember,
  type TestMember,
} from '../support/users.ts'

/** Ids of another organization, which an attacker may know. */
interface Foreign {
  organizationId: string
  organizationSlug: string
  memberId: string
  userId: string
  email: string
  invitationId: string
  keyId: string
  clientId: string
}

type RequestsFor = (foreign: Foreign) => { query?: Record<string, string>; body?: Record<string, unknown> }[]

const ORGANIZATION = '/api/auth/organization'
const API_KEY = '/api/auth/api-key'
const OAUTH2 = '/api/auth/oauth2'
const CLIENT = { client_name: 'Export', grant_types: ['client_credentials'] }
const byName: RequestsFor = ({ organizationId, organizationSlug }) => [
  { query: { organizationId } },
  { query: { organizationSlug } },
]

/**
 * Every field in which a request can name data of an organization. A route that is missing here fails the first test.
 */
const ROUTES: Record<string, RequestsFor | 'takes no foreign id'> = {
  [`${ORGANIZATION}/create`]: 'takes no foreign id',
  [`${ORGANIZATION}/check-slug`]: 'takes no foreign id',
  [`${ORGANIZATION}/list`]: 'takes no foreign id',
  [`${ORGANIZATION}/list-user-invitations`]: 'takes no foreign id',
  [`${ORGANIZATION}/get-active-member`]: 'takes no foreign id',
  [`${ORGANIZATION}/set-active`]: ({ organizationId, organizationSlug }) => [
    { body: { organizationId } },
    { body: { organizationSlug } },
  ],
  [`${ORGANIZATION}/update`]: ({ organizationId, organizationSlug }) => [
    { body: { data: { name: 'Taken over' }, organizationId } },
    { body: { data: { name: 'Taken over' }, organizationSlug } },
  ],
  [`${ORGANIZATION}/delete`]: ({ organizationId }) => [{ body: { organizationId } }],
  [`${ORGANIZATION}/get-organization`]: byName,
  [`${ORGANIZATION}/get-full-organization`]: byName,
  [`${ORGANIZATION}/has-permission`]: ({ organizationId, organizationSlug }) => [
    { body: { permissions: { member: ['create'] }, organizationId } },
    { body: { permissions: { member: ['create'] }, organizationSlug } },
  ],
  [`${ORGANIZATION}/list-members`]: byName,
  [`${ORGANIZATION}/get-active-member-role`]: (foreign) => [...byName(foreign), { query: { userId: foreign.userId } }],
  [`${ORGANIZATION}/leave`]: ({ organizationId }) => [{ body: { organizationId } }],
  [`${ORGANIZATION}/remove-member`]: ({ organizationId, memberId, email }) => [
    { body: { memberIdOrEmail: memberId } },
    { body: { memberIdOrEmail: email } },
    { body: { memberIdOrEmail: memberId, organizationId } },
  ],
  [`${ORGANIZATION}/update-member-role`]: ({ organizationId, memberId }) => [
    { body: { memberId, role: 'member' } },
    { body: { memberId, role: 'member', organizationId } },
  ],
  [`${ORGANIZATION}/invite-member`]: ({ organizationId, organizationSlug }) => [
    { body: { email: newEmail(), role: 'member', organizationId } },
    { body: { email: newEmail(), role: 'member', organizationSlug } },
  ],
  [`${ORGANIZATION}/invite-members`]: ({ organizationId, organizationSlug }) => [
    { body: { emails: [newEmail()], role: 'member', organizationId } },
    { body: { emails: [newEmail()], role: 'member', organizationSlug } },
  ],
  [`${ORGANIZATION}/preview-invitation`]: ({ organizationId, organizationSlug }) => [
    { query: { role: 'member', organizationId } },
    { query: { role: 'member', organizationSlug } },
  ],
  [`${ORGANIZATION}/transfer-ownership`]: ({ organizationId, memberId }) => [
    { body: { memberId } },
    { body: { memberId, organizationId } },
  ],
  [`${ORGANIZATION}/get-overview`]: byName,
  [`${ORGANIZATION}/list-audit-events`]: byName,
  [`${ORGANIZATION}/list-invitations`]: byName,
  [`${ORGANIZATION}/get-invitation`]: ({ invitationId }) => [{ query: { id: invitationId } }],
  [`${ORGANIZATION}/cancel-invitation`]: ({ invitationId }) => [{ body: { invitationId } }],
  [`${ORGANIZATION}/accept-invitation`]: ({ invitationId }) => [{ body: { invitationId } }],
  [`${ORGANIZATION}/reject-invitation`]: ({ invitationId }) => [{ body: { invitationId } }],
  [`${API_KEY}/create`]: ({ organizationId, organizationSlug }) => [
    { body: { name: 'key', organizationId } },
    { body: { name: 'key', organizationSlug } },
  ],
  [`${API_KEY}/list`]: byName,
  [`${API_KEY}/get`]: ({ keyId }) => [{ query: { id: keyId } }],
  [`${API_KEY}/rotate`]: ({ keyId }) => [{ body: { keyId } }],
  [`${API_KEY}/update`]: ({ keyId }) => [{ body: { keyId, enabled: false } }],
  [`${API_KEY}/delete`]: ({ keyId }) => [{ body: { keyId } }],
  [`${API_KEY}/verify`]: 'takes no foreign id',
  [`${OAUTH2}/create-client`]: ({ organizationId, organizationSlug }) => [
    { body: { ...CLIENT, organizationId } },
    { body: { ...CLIENT, organizationSlug } },
  ],
  [`${OAUTH2}/get-clients`]: byName,
  [`${OAUTH2}/get-client`]: ({ clientId }) => [{ query: { client_id: clientId } }],
  [`${OAUTH2}/update-client`]: ({ clientId }) => [{ body: { client_id: clientId, update: { disabled: true } } }],
  [`${OAUTH2}/client/rotate-secret`]: ({ clientId }) => [{ body: { client_id: clientId } }],
  [`${OAUTH2}/delete-client`]: ({ clientId }) => [{ body: { client_id: clientId } }],
  // Every user may see the name of an app.
  [`${OAUTH2}/public-client`]: 'takes no foreign id',
  '/api/token': ({ organizationSlug }) => [{ query: { org: organizationSlug } }],
  '/api/auth/token': 'takes no foreign id',
}

/** The routes that need no permission of the organization. */
const OPEN_TO_MEMBERS = [
  `${ORGANIZATION}/set-active`,
  `${ORGANIZATION}/get-organization`,
  `${ORGANIZATION}/get-full-organization`,
  `${ORGANIZATION}/has-permission`,
  `${ORGANIZATION}/list-members`,
  `${ORGANIZATION}/get-active-member-role`,
  `${ORGANIZATION}/get-overview`,
  `${ORGANIZATION}/leave`,
  `${ORGANIZATION}/get-invitation`,
  `${ORGANIZATION}/accept-invitation`,
  `${ORGANIZATION}/reject-invitation`,
  '/api/token',
]

onEachDatabase('CVE-2025-64431, CVE-2026-43912: ids of another organization, and of the own one', (service) => {
  let attacker: TestMember
  let colleague: TestMember
  let foreign: Foreign
  let methods: Map<string, string>

  before(async () => {
    const victim = await administratorWithOrganization(service())
    colleague = await member(service(), victim)
    const invited = await invite(service(), victim)
    const { body: key } = await victim.client.post(`${API_KEY}/create`, { name: 'key' })
    const { body: created } = await victim.client.post(`${OAUTH2}/create-client`, CLIENT)
    const { body: membership } = await colleague.client.get(`${ORGANIZATION}/get-active-member`)
    // The attacker owns another organization. A member, or staff, could be refused or allowed for other reasons.
    attacker = await newMember(service(), 'owner')
    foreign = {
      organizationId: victim.organization.id,
      organizationSlug: victim.organization.slug,
      memberId: membership.id,
      userId: colleague.id,
      email: colleague.email,
      invitationId: invited.invitationId,
      keyId: key.id,
      clientId: created.client_id,
    }
    methods = new Map((await operations(service())).map(({ path, method }) => [path, method]))
  })

  test('Every organization, API key and token route is in the list of this file', async () => {
    const known = Object.keys(ROUTES)
    const all = await operations(service())
    const concerned = all.filter(
      ({ path }) =>
        /\/(organization|api-key|oauth2\/.*client.*)\//.test(`${path}/`) || /^\/api\/(auth\/)?token$/.test(path),
    )
    assert.deepEqual([...new Set(concerned.map(({ path }) => path))].sort(), known.sort())
  })

  test("Every route returns 404 for another organization's ids, as for absent ids, and changes nothing", async () => {
    const before = await organizationRows()
    const absent: Foreign = {
      organizationId: 'org_00000000000000000000000000',
      organizationSlug: 'no-such-organization',
      memberId: 'mem_00000000000000000000000000',
      userId: 'usr_00000000000000000000000000',
      email: newEmail(),
      invitationId: 'inv_00000000000000000000000000',
      keyId: 'apk_00000000000000000000000000',
      clientId: 'cli_00000000000000000000000000',
    }
    for (const [path, requestsFor] of Object.entries(ROUTES)) {
      if (requestsFor === 'takes no foreign id') continue
      const missing = requestsFor(absent)
      for (const [index, request] of requestsFor(foreign).entries()) {
        const answer = await send(attacker, path, request)
        assert.equal(answer.status, 404, `${path} ${JSON.stringify(request)}: ${JSON.stringify(answer.body)}`)
        assert.deepEqual(answer.body, (await send(attacker, path, missing[index] ?? {})).body, path)
      }
    }
    assert.deepEqual(await organizationRows(), before)
  })

  test('Every route that needs a permission of the organization refuses a member without it, and changes nothing', async () => {
    const before = await organizationRows()
    for (const [path, requestsFor] of Object.entries(ROUTES)) {
      if (requestsFor === 'takes no foreign id' || OPEN_TO_MEMBERS.includes(path)) continue
      for (const request of requestsFor(foreign)) {
        const { status, body } = await send(colleague, path, request)
        assert.deepEqual([status, body.code], [403, 'FORBIDDEN'], `${path} ${JSON.stringify(request)}`)
      }
    }
    assert.deepEqual(await organizationRows(), before)
  })

  function send({ client }: TestMember, path: string, { query, body }: ReturnType<RequestsFor>[number]) {
    return methods.get(path) === 'get' ? client.get(`${path}?${new URLSearchParams(query)}`) : client.post(path, body)
  }

  async function organizationRows(): Promise<unknown> {
    const { database } = service().context
    return {
      organizations: await database.selectFrom('organizations').selectAll().orderBy('id').execute(),
      members: await database.selectFrom('members').selectAll().orderBy('id').execute(),
      invitations: await database.selectFrom('invitations').selectAll().orderBy('id').execute(),
      oauthClients: await database.selectFrom('oauthClients').selectAll().orderBy('id').execute(),
      apiKeys: await database.selectFrom('apiKeys').selectAll().orderBy('id').execute(),
    }
  }
})
