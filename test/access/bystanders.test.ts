import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createToken } from '../../server/core/single-use-tokens/single-use-tokens.ts'
import { SINGLE_USE_TOKEN_MILLISECONDS } from '../../server/core/single-use-tokens/token-purposes.ts'
import { COPY_STEPS } from '../../server/platform/database/copy/copy-steps.ts'
import type { Tables, TokenPurpose } from '../../server/platform/database/tables.ts'
import { CHANGES } from '../support/changes.ts'
import { insertTestConsent } from '../support/oauth-clients.ts'
import { createTestApp, signInTo } from '../support/openid.ts'
import { addPasskey } from '../support/passkeys.ts'
import { randomLetters } from '../support/random-letters.ts'
import { onEachDatabase } from '../support/service.ts'
import { userWithRole } from '../support/staff.ts'
import { enableTotp } from '../support/two-step.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  member,
  newEmail,
  newUser,
  PASSWORD,
  type TestMember,
} from '../support/users.ts'

const AUTH = '/api/auth'

/** Changes whose optional fields have statements of their own. */
const CALLS: typeof CHANGES = {
  ...CHANGES,
  [`${AUTH}/admin/update-user with a new email address`]: async (service) => {
    const admin = await administrator(service)
    const userId = await newUser(service)
    return admin.client.post(`${AUTH}/admin/update-user`, { userId, data: { email: newEmail() } })
  },
  [`${AUTH}/admin/remove-user with the API keys of the user`]: async (service) => {
    const admin = await administrator(service)
    const userId = await newUser(service)
    return admin.client.post(`${AUTH}/admin/remove-user`, { userId, revokeApiKeys: true })
  },
  [`${AUTH}/organization/remove-member with the API keys of the member`]: async (service) => {
    const founder = await administratorWithOrganization(service)
    const { email: memberIdOrEmail } = await member(service, founder)
    const body = { memberIdOrEmail, organizationId: founder.organization.id, revokeApiKeys: true }
    return founder.client.post(`${AUTH}/organization/remove-member`, body)
  },
}

/** Lists of the caller, or of the caller's organization. */
const LISTS = [
  'api-key/list',
  'list-accounts',
  'list-sessions',
  'oauth2/get-clients',
  'oauth2/get-consents',
  'oauth2/list-apps',
  'organization/get-full-organization',
  'organization/list',
  'organization/list-audit-events',
  'organization/list-invitations',
  'organization/list-members',
  'passkey/list-user-passkeys',
  'two-factor/list-trusted-devices',
]

/** Tables of the service, whose rows belong to no user and no organization. */
const SHARED: (keyof Tables)[] = [
  'secretGenerations',
  'signingKeys',
  'unconfirmedCredentials',
  'emailLimits',
  'statistics',
  'auditEvents',
  'auditHead',
  'auditStart',
]
const OWNED = [...new Set(COPY_STEPS.map(({ table }) => table))].filter((table) => !SHARED.includes(table))

onEachDatabase('Users and an organization that no request names', (service) => {
  let ids: string[]
  let named: TestMember

  before(async () => {
    const founder = await createFounder()
    const colleague = await member(service(), founder)
    named = founder
    ids = [founder.id, colleague.id, founder.organization.id]
    await insertCredentials(founder)
    await insertEverythingElse(founder, colleague)
  })

  test('The users and the organization have a row in each table whose rows belong to one', async () => {
    const rows = await readRows()
    assert.deepEqual(
      OWNED.filter((table) => rows[table]?.length === 0),
      [],
    )
  })

  test('No list has a row of a user and an organization that are not those of the caller', async () => {
    const rows = Object.values(await readRows()).flatMap((some) => some.map((row) => JSON.parse(row)))
    const rowIds: string[] = [...ids, ...rows.flatMap(({ id = [], clientId = [] }) => [id, clientId].flat())]
    const stranger = await createFounder()
    const isNamedTo = async ({ client }: TestMember, path: string) => {
      const { status, body } = await client.get(`${AUTH}/${path}`)
      assert.equal(status, 200, path)
      const text = JSON.stringify(body)
      return rowIds.some((id) => text.includes(id))
    }
    for (const path of LISTS)
      assert.deepEqual([await isNamedTo(named, path), await isNamedTo(stranger, path)], [true, false], path)
  })

  for (const [path, call] of Object.entries(CALLS))
    test(`${path} changes no row of a user and an organization that the request does not name`, async () => {
      const rows = await readRows()
      const { status, body } = await call(service())
      assert.ok(status === 200 || status === 201, JSON.stringify(body))
      assert.deepEqual(await readRows(), rows)
    })

  async function createFounder(): Promise<TestMember> {
    const user = await userWithRole(service(), await administrator(service()))
    const organization = { name: 'Other Works', slug: `org-${randomLetters()}` }
    const { body } = await user.client.post(`${AUTH}/organization/create`, organization)
    return { ...user, organization: body }
  }

  async function insertCredentials(founder: TestMember): Promise<void> {
    const { context } = service()
    await addPasskey(service(), founder)
    const app = await enableTotp(service(), founder)
    const trusted = { code: app.codeAt(context.now()), trustDevice: true }
    assert.equal((await founder.client.post(`${AUTH}/two-factor/verify-totp`, trusted)).status, 200)
    assert.equal((await founder.client.post(`${AUTH}/two-factor/verify-totp`, { code: '000000' })).status, 401)
    for (const purpose of Object.keys(SINGLE_USE_TOKEN_MILLISECONDS) as TokenPurpose[])
      await createToken(context.database, context, purpose, { userId: founder.id, data: {} })
  }

  async function insertEverythingElse(founder: TestMember, colleague: TestMember): Promise<void> {
    const { id: organizationId } = founder.organization
    const { invitationId, linkPath } = await invite(service(), founder)
    ids.push(invitationId)
    await service().client().get(linkPath)
    await founder.client.post(`${AUTH}/api-key/create`, { name: 'Payroll', organizationId })
    await signInTo(founder, await createTestApp(service()))
    const metadata = { backchannel_logout_uri: 'https://charts.example.com/logout' }
    await insertTestConsent(service(), founder.id, { metadata, columns: { organizationId } })
    const { consent } = await insertTestConsent(service(), founder.id, { metadata })
    await founder.client.post(`${AUTH}/oauth2/revoke-app`, { clientId: consent.clientId })
    await colleague.client.post(`${AUTH}/two-factor/enable`, { method: 'otp', password: PASSWORD })
    const impersonator = await userWithRole(service(), await administrator(service()), 'admin')
    await impersonator.client.post(`${AUTH}/admin/impersonate-user`, { userId: colleague.id })
  }

  async function readRows(): Promise<Partial<Record<keyof Tables, string[]>>> {
    const { database } = service().context
    const rows = await Promise.all(OWNED.map((table) => database.selectFrom(table).selectAll().execute()))
    const isOwn = (row: string) => ids.some((id) => row.includes(id))
    return Object.fromEntries(
      OWNED.map((table, index) => [
        table,
        (rows[index] ?? [])
          .map((row) => JSON.stringify(row))
          .filter(isOwn)
          .sort(),
      ]),
    )
  }
})
