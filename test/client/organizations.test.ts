import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiKeyClient } from '@better-auth/api-key/client'
import { createAuthClient } from 'better-auth/client'
import { jwtClient, organizationClient } from 'better-auth/client/plugins'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { onEachDatabase, type Service } from '../support/service.ts'
import { invite, member, newEmail, owner, signUp, type TestUser } from '../support/users.ts'

function officialClient({ baseUrl }: Service, { token }: TestUser) {
  return createAuthClient({
    baseURL: `${baseUrl}/api/auth`,
    plugins: [organizationClient(), apiKeyClient(), jwtClient()],
    fetchOptions: {
      throw: true,
      auth: { type: 'Bearer', token },
      customFetchImpl: (url: string | URL | Request, init?: RequestInit) => fetch(url, init),
    },
  })
}

/** What the client's types do not know of: they describe another server's answers, ours have more. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
const asIs = (answer: unknown): any => answer

onEachDatabase('The official client, unmodified', (service) => {
  test('manages an organization from its making to its end', async () => {
    const founder = await owner(service())
    const { organization } = officialClient(service(), founder)
    const slug = `made-${founder.organization.slug}`
    assert.equal(asIs(await organization.checkSlug({ slug })).status, true)
    const made = await organization.create({ name: 'Made', slug, metadata: { 'client-code': 'M-1', colour: 'green' } })
    assert.equal(made.slug, slug)
    assert.equal(made.members[0]?.role, 'owner')
    await assert.rejects(organization.checkSlug({ slug }), hasCode('ORGANIZATION_SLUG_ALREADY_TAKEN'))

    const changed = await organization.update({ data: { name: 'Made anew', logo: 'https://example.com/logo.png' } })
    assert.equal(changed.name, 'Made anew')
    assert.equal(changed.metadata, '{"client-code":"M-1","colour":"green"}')
    assert.deepEqual(
      asIs(await organization.list())
        .map((own: { slug: string }) => own.slug)
        .includes(slug),
      true,
    )
    const full = await organization.getFullOrganization()
    assert.equal(full?.id, made.id)
    assert.equal(full?.members[0]?.user.email, founder.email)
    assert.deepEqual(full?.invitations, [])
    const plain = asIs(await organization.getOrganization({ query: { organizationSlug: slug } }))
    assert.deepEqual([plain.name, plain.members], ['Made anew', undefined])

    const elsewhere = await organization.setActive({ organizationSlug: founder.organization.slug })
    assert.equal(elsewhere?.id, founder.organization.id)
    assert.equal(await organization.setActive({ organizationId: null }), null)
    assert.equal(await organization.getFullOrganization(), null)
    assert.equal(asIs(await organization.delete({ organizationId: made.id })), made.id)
    await assert.rejects(organization.getFullOrganization({ query: { organizationId: made.id } }))
  })

  test('sees to members and their roles', async () => {
    const founder = await owner(service())
    const hire = await member(service(), founder)
    const { organization } = officialClient(service(), founder)
    const { members, total } = asIs(
      await organization.listMembers({
        query: {
          limit: 1,
          offset: 1,
          sortBy: 'createdAt',
          sortDirection: 'asc',
          organizationId: founder.organization.id,
        },
      }),
    )
    assert.deepEqual([members.length, total, members[0].user.email], [1, 2, hire.email])
    const filtered = asIs(
      await organization.listMembers({ query: { filterField: 'role', filterOperator: 'in', filterValue: ['owner'] } }),
    )
    assert.equal(filtered.total, 1)

    assert.equal(asIs(await organization.getActiveMember()).role, 'owner')
    assert.equal(asIs(await organization.getActiveMember()).user.email, founder.email)
    assert.equal(asIs(await organization.getActiveMemberRole()).role, 'owner')
    assert.equal(asIs(await organization.getActiveMemberRole({ query: { userId: hire.id } })).role, 'member')
    const promoted = asIs(await organization.updateMemberRole({ memberId: members[0].id, role: ['admin'] }))
    assert.deepEqual([promoted.role, promoted.member.role], ['admin', 'admin'])
    const may = asIs(await organization.hasPermission({ permissions: { member: ['update', 'delete'] } }))
    assert.deepEqual(may, { error: '', success: true })

    const { organization: own } = officialClient(service(), hire)
    const left = asIs(await own.leave({ organizationId: founder.organization.id }))
    assert.deepEqual([left.userId, typeof left.message], [hire.id, 'string'])
    const another = await member(service(), founder)
    const removed = asIs(await organization.removeMember({ memberIdOrEmail: another.email }))
    assert.equal(removed.member.userId, another.id)
    assert.equal(asIs(await organization.listMembers()).total, 1)
  })

  test('invites, withdraws, accepts and declines', async () => {
    const founder = await owner(service())
    const { organization } = officialClient(service(), founder)
    const email = newEmail()
    const invitation = asIs(await organization.inviteMember({ email, role: 'member' }))
    assert.deepEqual([invitation.status, invitation.email], ['pending', email])
    const again = asIs(await organization.inviteMember({ email, role: ['member'], resend: true }))
    assert.equal(again.id, invitation.id)
    const canceled = asIs(await organization.cancelInvitation({ invitationId: invitation.id }))
    assert.deepEqual(
      [canceled.status, canceled.invitation.status, typeof canceled.message],
      ['canceled', 'canceled', 'string'],
    )

    const invited = await invite(service(), founder)
    const hire = await signUp(service(), invited)
    const { organization: own } = officialClient(service(), hire)
    const [received] = asIs(await own.listUserInvitations())
    assert.deepEqual(
      [received.id, received.organizationName, received.teamId],
      [invited.invitationId, 'Example Works', null],
    )
    const shown = await own.getInvitation({ query: { id: invited.invitationId } })
    assert.deepEqual([shown.inviterEmail, shown.organizationSlug], [founder.email, founder.organization.slug])
    const declined = asIs(await own.rejectInvitation({ invitationId: invited.invitationId }))
    assert.deepEqual([declined.invitation.status, declined.member], ['rejected', {}])
    const second = await invite(service(), founder, hire.email)
    const accepted = asIs(await own.acceptInvitation({ invitationId: second.invitationId }))
    assert.deepEqual([accepted.invitation.status, accepted.member.role], ['accepted', 'member'])
    assert.equal((await own.getFullOrganization())?.id, founder.organization.id)

    const { invitations, total } = asIs(await organization.listInvitations())
    assert.equal(total, 3)
    assert.deepEqual(
      invitations.map(({ status }: { status: string }) => status),
      ['accepted', 'rejected', 'canceled'],
    )
  })

  test('keeps API keys, and gets tokens for the active organization', async () => {
    const founder = await owner(service())
    const { apiKey, token, jwks } = officialClient(service(), founder)
    const created = asIs(
      await asIs(apiKey).create({
        name: 'Nightly export',
        expiresIn: 86_400,
        role: 'admin',
        metadata: { team: 'data' },
      }),
    )
    assert.match(created.key, /^acc_/)
    assert.ok(created.key.startsWith(created.start))
    const got = asIs(await apiKey.get({ query: { id: created.id } }))
    assert.deepEqual([got.name, got.key, got.referenceId], ['Nightly export', undefined, founder.organization.id])
    assert.deepEqual([created.metadata, got.metadata], [{ team: 'data' }, { team: 'data' }])
    const listed = asIs(await apiKey.list({ query: { organizationId: founder.organization.id, limit: 10 } }))
    assert.deepEqual([listed.total, listed.apiKeys[0].id], [1, created.id])
    const verified = asIs(await asIs(apiKey).verify({ key: created.key }))
    assert.deepEqual([verified.valid, verified.key.organizationId], [true, founder.organization.id])
    const updated = asIs(await apiKey.update({ keyId: created.id, name: 'Weekly export', enabled: false }))
    assert.deepEqual([updated.name, updated.enabled, updated.metadata], ['Weekly export', false, { team: 'data' }])
    const renamed = asIs(await apiKey.update({ keyId: created.id, metadata: { team: 'ops' } }))
    assert.deepEqual(renamed.metadata, { team: 'ops' })
    assert.deepEqual(await apiKey.delete({ keyId: created.id }), { success: true })
    await assert.rejects(apiKey.get({ query: { id: created.id } }), hasCode('KEY_NOT_FOUND'))

    const { payload } = await jwtVerify(
      asIs(await token()).token,
      createRemoteJWKSet(new URL('/api/auth/jwks', service().baseUrl)),
      { issuer: service().baseUrl, audience: 'accounts-services' },
    )
    assert.equal(payload.org_slug, founder.organization.slug)
    assert.equal(asIs(await jwks()).keys.length, 1)
  })
})

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => (error as { error?: { code?: string } }).error?.code === code
}
