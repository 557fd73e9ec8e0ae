import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertTestClient } from '../../../../test/support/oauth-clients.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { startSmtpSink } from '../../../../test/support/smtp-sink.ts'
import { userWithRole } from '../../../../test/support/staff.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  member,
  newEmail,
  type TestUser,
} from '../../../../test/support/users.ts'
import { parseSmtpUrl } from '../../../platform/config/smtp-server.ts'
import { createDelivery } from '../../../platform/mail/delivery.ts'

const ADMIN = '/api/auth/admin'
const DAY = 86_400_000

interface Listed {
  id: string
  name: string
  slug: string
  email: string
  status: string
}

onEachDatabase('Organizations for staff', (service) => {
  async function support(): Promise<TestUser> {
    return userWithRole(service(), await administrator(service()), 'support')
  }

  async function get({ client }: TestUser, path: string) {
    const { status, body } = await client.get(`${ADMIN}/${path}`)
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
    return body
  }

  test('list-organizations searches, filters, sorts and pages, with counts of members and open invitations', async () => {
    const founder = await administratorWithOrganization(service())
    const { id, slug } = founder.organization
    await member(service(), founder)
    await invite(service(), founder)
    for (const name of ['Zebra Zoo', 'apple Works', '100% Juice']) {
      const body = { name, slug: `${slug}-${name[0]?.toLowerCase()}`, keepCurrentActiveOrganization: true }
      assert.equal((await founder.client.post('/api/auth/organization/create', body)).status, 200)
    }
    const staff = await support()
    const names = async (query: string) =>
      (await get(staff, `list-organizations?${query}`)).organizations.map(({ name }: Listed) => name)
    const own = `searchField=slug&searchOperator=starts_with&searchValue=${slug}`

    const { organizations, ...page } = await get(staff, `list-organizations?${own}&limit=1&sortBy=createdAt`)
    assert.deepEqual(page, { total: 4, limit: 1, offset: 0 })
    assert.deepEqual(
      [organizations[0].id, organizations[0].memberCount, organizations[0].openInvitationCount],
      [id, 2, 1],
    )
    assert.deepEqual(await names(own), ['100% Juice', 'Example Works', 'Zebra Zoo', 'apple Works'])
    assert.deepEqual(await names(`${own}&sortBy=name&sortDirection=desc&offset=3`), ['100% Juice'])
    assert.deepEqual(await names(`searchValue=${encodeURIComponent('0% j')}&filterField=slug&filterValue=${slug}-1`), [
      '100% Juice',
    ])
    assert.deepEqual(await names(`searchField=any&searchValue=${slug}`), await names(own))
    assert.deepEqual(await names(`searchField=any&searchValue=Zebra&filterField=slug&filterValue=${slug}-z`), [
      'Zebra Zoo',
    ])
    assert.deepEqual(await names(`searchField=any&searchValue=${slug}&filterField=name&filterValue=Zebra%20Zoo`), [
      'Zebra Zoo',
    ])
    assert.deepEqual(await names(`${own}&filterField=createdAt&filterOperator=lt&filterValue=2020`), [])
    for (const [field, query] of Object.entries({
      limit: 'limit=501',
      filterValue: 'filterField=slug',
      nmae: 'nmae=x',
    }))
      assert.equal((await staff.client.get(`${ADMIN}/list-organizations?${query}`)).body.field, field)
  })

  test('Parts of an imported id find its organization, without regard to the case', async () => {
    const [imported, prefixed] = ['R2dTzKx9', 'org_R2dTzKx9']
    await service()
      .context.database.insertInto('organizations')
      .values(
        [imported, prefixed].map((id) => ({ id, name: id, slug: id.toLowerCase(), createdAt: 1, requireTwoFactor: 0 })),
      )
      .execute()
    const staff = await support()
    for (const [operator, value, expected] of [
      ['starts_with', 'R2dT', [imported]],
      ['starts_with', 'r2DT', [imported]],
      ['starts_with', 'org_R2dT', [prefixed]],
      ['contains', 'tZkx', [imported, prefixed]],
      ['ends_with', 'zKX9', [imported, prefixed]],
    ] as const) {
      const query = `filterField=id&filterOperator=${operator}&filterValue=${value}`
      const { organizations } = await get(staff, `list-organizations?${query}`)
      assert.deepEqual(
        organizations.map(({ id }: { id: string }) => id),
        expected,
        query,
      )
    }
  })

  test('get-organization and list-organization-members show the organization without a membership', async () => {
    const founder = await administratorWithOrganization(service())
    const { id, slug } = founder.organization
    const hire = await member(service(), founder)
    await founder.client.post('/api/auth/api-key/create', { name: 'Payroll', organizationId: id })
    await insertTestClient(service(), {}, { organizationId: id })
    const staff = await support()
    const { organization } = await get(staff, `get-organization?slug=${slug}`)
    const { memberCount, ownerCount, openInvitationCount, apiKeyCount, oauthClientCount } = organization
    assert.deepEqual(
      [organization.id, memberCount, ownerCount, openInvitationCount, apiKeyCount, oauthClientCount],
      [id, 2, 1, 0, 1, 1],
    )
    assert.equal((await get(staff, `get-organization?id=${id}&slug=${slug}`)).organization.slug, slug)
    const { members, ...page } = await get(staff, `list-organization-members?organizationId=${id}&limit=1&offset=1`)
    assert.deepEqual(page, { total: 2, limit: 1, offset: 1 })
    assert.deepEqual([members[0].user.email, members[0].role], [hire.email, 'member'])
    for (const path of [
      'get-organization?id=org_none',
      `get-organization?id=${id}&slug=another`,
      'list-organization-members?organizationId=org_none',
    ]) {
      const { status, body } = await staff.client.get(`${ADMIN}/${path}`)
      assert.deepEqual([status, body.code], [404, 'ORGANIZATION_NOT_FOUND'], path)
    }
    assert.equal((await staff.client.get(`${ADMIN}/get-organization`)).body.field, 'id')
  })

  test('list-user-memberships has the organizations of the user with the role and the last use', async () => {
    const first = await administratorWithOrganization(service())
    const hire = await member(service(), first, 'admin')
    const slug = `${first.organization.slug}-b`
    await hire.client.post('/api/auth/organization/create', { name: 'Second', slug })
    const staff = await support()
    const { memberships } = await get(staff, `list-user-memberships?userId=${hire.id}`)
    assert.deepEqual(
      memberships.map(({ role, organization }: { role: string; organization: Listed }) => [role, organization.slug]),
      [
        ['admin', first.organization.slug],
        ['owner', slug],
      ],
    )
    const path = `list-user-memberships?userId=${hire.id}`
    const page = await get(staff, `${path}&limit=1`)
    assert.deepEqual([page.memberships, page.limit, page.hasMore], [memberships.slice(0, 1), 1, true])
    const last = await get(staff, `${path}&limit=1&offset=1`)
    assert.deepEqual([last.memberships, last.hasMore], [memberships.slice(1), false])
    assert.equal((await staff.client.get(`${ADMIN}/${path}&limit=1001`)).body.field, 'limit')
    assert.ok(Date.parse(memberships[0].lastUsedAt) >= Date.parse(memberships[0].createdAt))
    const { status, body } = await staff.client.get(`${ADMIN}/list-user-memberships?userId=usr_none`)
    assert.deepEqual([status, body.code], [404, 'USER_NOT_FOUND'])
  })

  test('list-invitations finds invitations by a part of the address, with organization, inviter and timeline', async () => {
    const sink = await startSmtpSink()
    const delivery = createDelivery(service().context, parseSmtpUrl(sink.url))
    try {
      const founder = await administratorWithOrganization(service())
      const { id: organizationId, slug } = founder.organization
      const invited = await invite(service(), founder)
      sink.refuseWith(550)
      await delivery.deliverDue()
      const staff = await support()
      const part = invited.email.slice(2, -6).toUpperCase()
      const { invitations, total } = await get(staff, `list-invitations?email=${part}`)
      assert.equal(total, 1)
      const [found] = invitations
      assert.deepEqual(
        [found.id, found.status, found.organizationSlug, found.inviterId, found.inviterEmail],
        [invited.invitationId, 'pending', slug, founder.id, founder.email],
      )
      const last = found.timeline.at(-1)
      assert.equal(last.event, 'failed')
      assert.match(last.answer, /^550 /)

      const canceled = await invite(service(), founder)
      await founder.client.post('/api/auth/organization/cancel-invitation', { invitationId: canceled.invitationId })
      const emails = async (query: string, by = staff) =>
        (await get(by, `list-invitations?organizationId=${organizationId}${query}`)).invitations.map(
          ({ email }: Listed) => email,
        )
      assert.deepEqual(await emails(''), [canceled.email, invited.email])
      assert.deepEqual(await emails('&limit=1&offset=1'), [invited.email])
      assert.deepEqual(await emails('&status=canceled'), [canceled.email])
      assert.deepEqual(await emails('&status=pending'), [invited.email])
      assert.deepEqual(await emails('&email=%25'), [])
      service().advance(8 * DAY)
      const later = await administrator(service())
      assert.deepEqual(await emails('&status=pending', later), [])
      assert.deepEqual(await emails('&status=expired', later), [invited.email])
      const path = `list-invitations?organizationId=${organizationId}&status=expired`
      assert.equal((await get(later, path)).invitations[0].status, 'expired')
      const all = (await get(later, `list-invitations?organizationId=${organizationId}`)).invitations
      assert.deepEqual(
        all.map(({ status }: Listed) => status),
        ['canceled', 'expired'],
      )
    } finally {
      await delivery.stop()
      await sink.close()
    }
  })

  test('list-invitations with emailOperator=eq finds the invitations of the whole address only', async () => {
    const founder = await administratorWithOrganization(service())
    const email = newEmail()
    const { invitationId } = await invite(service(), founder, email)
    const longer = await invite(service(), founder, `a${email}`)
    const staff = await support()
    const found = async (query: string) => {
      const { invitations, total } = await get(staff, `list-invitations?email=${email.toUpperCase()}${query}`)
      assert.equal(total, invitations.length)
      return invitations.map(({ id }: Listed) => id)
    }
    assert.deepEqual(await found('&emailOperator=eq'), [invitationId])
    assert.deepEqual(await found('&emailOperator=eq&status=canceled'), [])
    for (const part of ['', '&emailOperator=contains'])
      assert.deepEqual(await found(part), [longer.invitationId, invitationId])
    const { status, body } = await staff.client.get(`${ADMIN}/list-invitations?email=a&emailOperator=ne`)
    assert.deepEqual([status, body.code, body.field], [400, 'VALIDATION_ERROR', 'emailOperator'])
  })
})
