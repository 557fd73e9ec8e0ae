import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { operations } from '../support/operations.ts'
import { onEachDatabase } from '../support/service.ts'
import { invite, member, newEmail, type Owner, owner } from '../support/users.ts'

/** What somebody else's organization has, and a stranger may have learnt the ids of. */
interface Foreign {
  organizationId: string
  organizationSlug: string
  memberId: string
  userId: string
  email: string
  invitationId: string
  keyId: string
}

type Ask = (foreign: Foreign) => { query?: Record<string, string>; body?: Record<string, unknown> }[]

const ORGANIZATION = '/api/auth/organization'
const API_KEY = '/api/auth/api-key'
const byName: Ask = ({ organizationId, organizationSlug }) => [
  { query: { organizationId } },
  { query: { organizationSlug } },
]

/** Every way in which a request can name something of an organization. A route that is not here fails the first test. */
const ROUTES: Record<string, Ask | 'names nothing foreign'> = {
  [`${ORGANIZATION}/create`]: 'names nothing foreign',
  [`${ORGANIZATION}/check-slug`]: 'names nothing foreign',
  [`${ORGANIZATION}/list`]: 'names nothing foreign',
  [`${ORGANIZATION}/list-user-invitations`]: 'names nothing foreign',
  [`${ORGANIZATION}/get-active-member`]: 'names nothing foreign',
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
  [`${API_KEY}/update`]: ({ keyId }) => [{ body: { keyId, enabled: false } }],
  [`${API_KEY}/delete`]: ({ keyId }) => [{ body: { keyId } }],
  [`${API_KEY}/verify`]: 'names nothing foreign',
  '/api/token': ({ organizationSlug }) => [{ query: { org: organizationSlug } }],
  '/api/auth/token': 'names nothing foreign',
}

onEachDatabase("CVE-2025-64431, CVE-2026-43912: another organization's ids", (service) => {
  let stranger: Owner
  let foreign: Foreign

  before(async () => {
    const founder = await owner(service())
    const hire = await member(service(), founder)
    const invited = await invite(service(), founder)
    const { body: key } = await founder.client.post(`${API_KEY}/create`, { name: 'key' })
    const { body: place } = await hire.client.get(`${ORGANIZATION}/get-active-member`)
    // An owner, so that no lack of rights hides what is looked for; but not of this one. Staff they are not either.
    stranger = await member(service(), await owner(service()), 'owner')
    foreign = {
      organizationId: founder.organization.id,
      organizationSlug: founder.organization.slug,
      memberId: place.id,
      userId: hire.id,
      email: hire.email,
      invitationId: invited.invitationId,
      keyId: key.id,
    }
  })

  test('are tried on every route there is', async () => {
    const known = Object.keys(ROUTES)
    const all = await operations(service())
    const concerned = all.filter(
      ({ path }) => /\/(organization|api-key)\//.test(path) || /^\/api\/(auth\/)?token$/.test(path),
    )
    assert.deepEqual([...new Set(concerned.map(({ path }) => path))].sort(), known.sort())
  })

  test('are 404 on every route, as those that do not exist are, and change nothing', async () => {
    const before = await everything()
    const methods = new Map((await operations(service())).map(({ path, method }) => [path, method]))
    const absent: Foreign = {
      organizationId: 'org_00000000000000000000000000',
      organizationSlug: 'no-such-organization',
      memberId: 'mem_00000000000000000000000000',
      userId: 'usr_00000000000000000000000000',
      email: newEmail(),
      invitationId: 'inv_00000000000000000000000000',
      keyId: 'apk_00000000000000000000000000',
    }
    for (const [path, ask] of Object.entries(ROUTES)) {
      if (ask === 'names nothing foreign') continue
      const missing = ask(absent)
      for (const [index, request] of ask(foreign).entries()) {
        const send = ({ query, body }: (typeof missing)[number]) =>
          methods.get(path) === 'get'
            ? stranger.client.get(`${path}?${new URLSearchParams(query)}`)
            : stranger.client.post(path, body)
        const answer = await send(request)
        assert.equal(answer.status, 404, `${path} ${JSON.stringify(request)}: ${JSON.stringify(answer.body)}`)
        assert.deepEqual(answer.body, (await send(missing[index] ?? {})).body, path)
      }
    }
    assert.deepEqual(await everything(), before)
  })

  async function everything(): Promise<unknown> {
    const { database } = service().context
    return {
      organizations: await database.selectFrom('organizations').selectAll().orderBy('id').execute(),
      members: await database.selectFrom('members').selectAll().orderBy('id').execute(),
      invitations: await database.selectFrom('invitations').selectAll().orderBy('id').execute(),
      apiKeys: await database.selectFrom('apiKeys').selectAll().orderBy('id').execute(),
    }
  }
})
