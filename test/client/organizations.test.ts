import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiKeyClient } from '@better-auth/api-key/client'
import { createAuthClient } from 'better-auth/client'
import { jwtClient, organizationClient } from 'better-auth/client/plugins'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { onEachDatabase, type Service } from '../support/service.ts'
import { administratorWithOrganization, invite, member, newEmail, signUp, type TestUser } from '../support/users.ts'

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

/** Drops the client's types, because they describe Better Auth's answers, and this service returns more fields. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
const untyped = (answer: unknown): any => answer

onEachDatabase('Official organization client', (service) => {
  test('The official client creates, reads, updates and deletes an organization', async () => {
    const founder = await administratorWithOrganization(service())
    const { organization } = officialClient(service(), founder)
    const slug = `new-${founder.organization.slug}`
    assert.equal(untyped(await organization.checkSlug({ slug })).status, true)
    const created = await organization.create({
      name: 'Made',
      slug,
      metadata: { 'client-code': 'M-1', colour: 'green' },
    })
    assert.equal(created.slug, slug)
    assert.equal(created.members[0]?.role, 'owner')
    await assert.rejects(organization.checkSlug({ slug }), hasCode('ORGANIZATION_SLUG_ALREADY_TAKEN'))

    const changed = await organization.update({ data: { name: 'Made anew', logo: 'https://example.com/logo.png' } })
    assert.equal(changed.name, 'Made anew')
    assert.equal(changed.metadata, '{"client-code":"M-1","colour":"green"}')
    assert.deepEqual(
      untyped(await organization.list())
        .map((own: { slug: string }) => own.slug)
        .includes(slug),
      true,
    )
    const full = await organization.getFullOrganization()
    assert.equal(full?.id, created.id)
    assert.equal(full?.members[0]?.user.email, founder.email)
    assert.deepEqual(full?.invitations, [])
    const plain = untyped(await organization.getOrganization({ query: { organizationSlug: slug } }))
    assert.deepEqual([plain.name, plain.members], ['Made anew', undefined])

    const active = await organization.setActive({ organizationSlug: founder.organization.slug })
    assert.equal(active?.id, founder.organization.id)
    assert.equal(await organization.setActive({ organizationId: null }), null)
    assert.equal(await organization.getFullOrganization(), null)
    assert.equal(untyped(await organization.delete({ organizationId: created.id })), created.id)
    await assert.rejects(
      organization.getFullOrganization({ query: { organizationId: created.id } }),
      hasCode('ORGANIZATION_NOT_FOUND'),
    )
  })

  test('The official client lists, updates and removes members', async () => {
    const founder = await administratorWithOrganization(service())
    const hire = await member(service(), founder)
    const { organization } = officialClient(service(), founder)
    const { members, total } = untyped(
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
    const filtered = untyped(
      await organization.listMembers({ query: { filterField: 'role', filterOperator: 'in', filterValue: ['owner'] } }),
    )
    assert.equal(filtered.total, 1)

    assert.equal(untyped(await organization.getActiveMember()).role, 'owner')
    assert.equal(untyped(await organization.getActiveMember()).user.email, founder.email)
    assert.equal(untyped(await organization.getActiveMemberRole()).role, 'owner')
    assert.equal(untyped(await organization.getActiveMemberRole({ query: { userId: hire.id } })).role, 'member')
    const promoted = untyped(await organization.updateMemberRole({ memberId: members[0].id, role: ['admin'] }))
    assert.deepEqual([promoted.role, promoted.member.role], ['admin', 'admin'])
    const may = untyped(await organization.hasPermission({ permissions: { member: ['update', 'delete'] } }))
    assert.deepEqual(may, { error: '', success: true })

    const { organization: own } = officialClient(service(), hire)
    const left = untyped(await own.leave({ organizationId: founder.organization.id }))
    assert.deepEqual([left.userId, typeof left.message], [hire.id, 'string'])
    const another = await member(service(), founder)
    const removed = untyped(await organization.removeMember({ memberIdOrEmail: another.email }))
    assert.equal(removed.member.userId, another.id)
    assert.equal(untyped(await organization.listMembers()).total, 1)
  })

  test('The official client creates, cancels, accepts and rejects invitations', async () => {
    const founder = await administratorWithOrganization(service())
    const { organization } = officialClient(service(), founder)
    const email = newEmail()
    const invitation = untyped(await organization.inviteMember({ email, role: 'member' }))
    assert.deepEqual([invitation.status, invitation.email], ['pending', email])
    const again = untyped(await organization.inviteMember({ email, role: ['member'], resend: true }))
    assert.equal(again.id, invitation.id)
    const canceled = untyped(await organization.cancelInvitation({ invitationId: invitation.id }))
    assert.deepEqual(
      [canceled.status, canceled.invitation.status, typeof canceled.message],
      ['canceled', 'canceled', 'string'],
    )

    const invited = await invite(service(), founder)
    const hire = await signUp(service(), invited)
    const { organization: own } = officialClient(service(), hire)
    const [received] = untyped(await own.listUserInvitations())
    assert.deepEqual(
      [received.id, received.organizationName, received.teamId],
      [invited.invitationId, 'Example Works', null],
    )
    const shown = await own.getInvitation({ query: { id: invited.invitationId } })
    assert.deepEqual([shown.inviterEmail, shown.organizationSlug], [founder.email, founder.organization.slug])
    const declined = untyped(await own.rejectInvitation({ invitationId: invited.invitationId }))
    assert.deepEqual([declined.invitation.status, declined.member], ['rejected', {}])
    const second = await invite(service(), founder, hire.email)
    const accepted = untyped(await own.acceptInvitation({ invitationId: second.invitationId }))
    assert.deepEqual([accepted.invitation.status, accepted.member.role], ['accepted', 'member'])
    assert.equal((await own.getFullOrganization())?.id, founder.organization.id)

    const { invitations, total } = untyped(await organization.listInvitations())
    assert.equal(total, 3)
    assert.deepEqual(
      invitations.map(({ status }: { status: string }) => status),
      ['accepted', 'rejected', 'canceled'],
    )
  })

  test('The official client manages API keys and gets tokens for the active organization', async () => {
    const founder = await administratorWithOrganization(service())
    const { apiKey, token, jwks } = officialClient(service(), founder)
    const created = untyped(
      await untyped(apiKey).create({
        name: 'Nightly export',
        expiresIn: 86_400,
        role: 'admin',
        metadata: { team: 'data' },
      }),
    )
    assert.match(created.key, /^acc_/)
    assert.ok(created.key.startsWith(created.start))
    const got = untyped(await apiKey.get({ query: { id: created.id } }))
    assert.deepEqual([got.name, got.key, got.referenceId], ['Nightly export', undefined, founder.organization.id])
    assert.deepEqual([created.metadata, got.metadata], [{ team: 'data' }, { team: 'data' }])
    const listed = untyped(await apiKey.list({ query: { organizationId: founder.organization.id, limit: 10 } }))
    assert.deepEqual([listed.total, listed.apiKeys[0].id], [1, created.id])
    const verified = untyped(await untyped(apiKey).verify({ key: created.key }))
    assert.deepEqual([verified.valid, verified.key.organizationId], [true, founder.organization.id])
    const updated = untyped(await apiKey.update({ keyId: created.id, name: 'Weekly export', enabled: false }))
    assert.deepEqual([updated.name, updated.enabled, updated.metadata], ['Weekly export', false, { team: 'data' }])
    const renamed = untyped(await apiKey.update({ keyId: created.id, metadata: { team: 'ops' } }))
    assert.deepEqual(renamed.metadata, { team: 'ops' })
    assert.deepEqual(await apiKey.delete({ keyId: created.id }), { success: true })
    await assert.rejects(apiKey.get({ query: { id: created.id } }), hasCode('KEY_NOT_FOUND'))

    const { payload } = await jwtVerify(
      untyped(await token()).token,
      createRemoteJWKSet(new URL('/api/auth/jwks', service().baseUrl)),
      { issuer: service().baseUrl, audience: 'accounts-services' },
    )
    assert.equal(payload.org_slug, founder.organization.slug)
    assert.equal(untyped(await jwks()).keys.length, 2)
  })
})

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => (error as { error?: { code?: string } }).error?.code === code
}
