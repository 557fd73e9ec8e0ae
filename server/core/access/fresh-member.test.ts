import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../../test/support/client.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import {
  administratorWithOrganization,
  member,
  memberIdOf,
  newEmail,
  type TestMember,
} from '../../../test/support/users.ts'
import { hashToken } from '../../platform/crypto/tokens.ts'
import type { SessionRow } from '../../platform/database/tables.ts'
import { AUTHENTICATION_METHODS } from '../sessions/authentication-methods.ts'

const ORGANIZATION = '/api/auth/organization'

/** Changes by an owner that give permissions in an organization, or take protection away. */
const CHANGES: Record<string, (by: TestMember, partner: TestMember) => Promise<{ path: string; body: object }>> = {
  'an organization without the second step': async () => ({
    path: `${ORGANIZATION}/update`,
    body: { data: { requireTwoFactor: false } },
  }),
  'an API key': async () => ({ path: '/api/auth/api-key/create', body: { name: 'Export' } }),
  'a rotated API key': async ({ client }) => ({
    path: '/api/auth/api-key/rotate',
    body: { keyId: await keyIdOf(client) },
  }),
  'a changed API key': async ({ client }) => ({
    path: '/api/auth/api-key/update',
    body: { keyId: await keyIdOf(client), role: 'admin' },
  }),
  'an app': async ({ organization }) => ({
    path: '/api/auth/oauth2/create-client',
    body: { client_name: 'App', redirect_uris: ['https://app.example.com/back'], organizationId: organization.id },
  }),
  'the removal of a member with API keys': async (_by, partner) => ({
    path: `${ORGANIZATION}/remove-member`,
    body: { memberIdOrEmail: partner.email, revokeApiKeys: true },
  }),
  'another owner': async (_by, partner) => ({
    path: `${ORGANIZATION}/update-member-role`,
    body: { memberId: await memberIdOf(partner), role: 'owner' },
  }),
  'another admin': async (_by, partner) => ({
    path: `${ORGANIZATION}/update-member-role`,
    body: { memberId: await memberIdOf(partner), role: 'admin' },
  }),
  'an invitation of an owner': async () => ({
    path: `${ORGANIZATION}/invite-member`,
    body: { email: newEmail(), role: 'owner' },
  }),
  'invitations of owners': async () => ({
    path: `${ORGANIZATION}/invite-members`,
    body: { emails: [newEmail()], role: 'owner' },
  }),
  'an invitation of an admin': async () => ({
    path: `${ORGANIZATION}/invite-member`,
    body: { email: newEmail(), role: 'admin' },
  }),
  'invitations of admins': async () => ({
    path: `${ORGANIZATION}/invite-members`,
    body: { emails: [newEmail()], role: 'admin' },
  }),
  'the removal of an owner': async ({ client }, partner) => {
    const memberId = await memberIdOf(partner)
    await client.post(`${ORGANIZATION}/update-member-role`, { memberId, role: 'owner' })
    return { path: `${ORGANIZATION}/remove-member`, body: { memberIdOrEmail: partner.email } }
  },
  'an owner who becomes a member': async ({ client }, partner) => {
    const memberId = await memberIdOf(partner)
    await client.post(`${ORGANIZATION}/update-member-role`, { memberId, role: 'owner' })
    return { path: `${ORGANIZATION}/update-member-role`, body: { memberId, role: 'member' } }
  },
  'the leaving of an owner': async ({ client, organization }, partner) => {
    await client.post(`${ORGANIZATION}/update-member-role`, { memberId: await memberIdOf(partner), role: 'owner' })
    return { path: `${ORGANIZATION}/leave`, body: { organizationId: organization.id } }
  },
  'a transfer of ownership': async (_by, partner) => ({
    path: `${ORGANIZATION}/transfer-ownership`,
    body: { memberId: await memberIdOf(partner) },
  }),
  'the deletion of an organization': async ({ organization }) => ({
    path: `${ORGANIZATION}/delete`,
    body: { organizationId: organization.id },
  }),
}

onEachDatabase('Changes that need a fresh session with the second step of the organization', (service) => {
  const changeSession = ({ token }: TestMember, change: Partial<SessionRow>) =>
    service().context.database.updateTable('sessions').set(change).where('tokenHash', '=', hashToken(token)).execute()

  for (const [name, prepare] of Object.entries(CHANGES)) {
    test(`${name} needs a fresh session, and the second step if the organization requires it`, async () => {
      const founder = await administratorWithOrganization(service())
      const { path, body } = await prepare(founder, await member(service(), founder))
      const required = await founder.client.post(`${ORGANIZATION}/update`, { data: { requireTwoFactor: true } })
      assert.equal(required.status, 200)
      const attempt = async () => {
        const answer = await founder.client.post(path, body)
        return answer.status === 200 ? 200 : answer.body.code
      }

      const authenticatedAt = service().context.now()
      await changeSession(founder, { authenticatedAt: 0, authenticationMethods: AUTHENTICATION_METHODS.passkey })
      assert.equal(await attempt(), 'SESSION_NOT_FRESH')
      await changeSession(founder, { authenticatedAt, authenticationMethods: AUTHENTICATION_METHODS.password })
      assert.equal(await attempt(), 'TWO_FACTOR_REQUIRED')
      await changeSession(founder, { authenticationMethods: AUTHENTICATION_METHODS.passkey })
      assert.equal(await attempt(), 200)
    })
  }

  test('Other changes of members need no fresh session', async () => {
    const founder = await administratorWithOrganization(service())
    const hire = await member(service(), founder)
    const memberId = await memberIdOf(hire)
    await founder.client.post(`${ORGANIZATION}/update-member-role`, { memberId, role: 'admin' })
    await changeSession(founder, { authenticatedAt: 0 })
    for (const [path, body] of [
      ['update-member-role', { memberId, role: 'admin' }],
      ['update-member-role', { memberId, role: 'member' }],
      ['invite-member', { email: newEmail(), role: 'member' }],
      ['update', { data: { requireTwoFactor: true } }],
      ['remove-member', { memberIdOrEmail: hire.email }],
    ] as const)
      assert.equal((await founder.client.post(`${ORGANIZATION}/${path}`, body)).status, 200, path)
    const leaver = await member(service(), founder, 'admin')
    await changeSession(leaver, { authenticatedAt: 0 })
    const left = await leaver.client.post(`${ORGANIZATION}/leave`, { organizationId: founder.organization.id })
    assert.equal(left.status, 200)
  })
})

async function keyIdOf(client: Client): Promise<string> {
  return (await client.post('/api/auth/api-key/create', { name: 'Export' })).body.id
}
