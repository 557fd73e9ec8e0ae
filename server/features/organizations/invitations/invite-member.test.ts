import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearerClient } from '../../../../test/support/bearer-client.ts'
import { type ConcurrentStep, concurrently } from '../../../../test/support/concurrently.ts'
import { secondProcess } from '../../../../test/support/second-process.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import {
  administratorWithOrganization,
  type Invited,
  invitationLink,
  invite,
  member,
  newEmail,
  signedIn,
  signUp,
  type TestMember,
} from '../../../../test/support/users.ts'
import { ORGANIZATION_ROLES } from '../../../core/access/organization-permissions.ts'
import { closeInvitation } from '../../../core/invitations/close-invitation.ts'
import { lockOrganizationForUpdate } from '../../../core/memberships/lock-membership.ts'

const ORGANIZATION = '/api/auth/organization'
const INVITE = `${ORGANIZATION}/invite-member`
const CANCEL = `${ORGANIZATION}/cancel-invitation`
const DAY = 86_400_000

onEachDatabase('invite-member', (service) => {
  const getSecond = secondProcess(service)

  test('invite-member of an invited address needs resend, which keeps the id and renews link and expiry', async () => {
    const founder = await administratorWithOrganization(service())
    const first = await invite(service(), founder)
    const again = await founder.client.post(INVITE, { email: first.email, role: 'member' })
    assert.deepEqual([again.status, again.body.code], [400, 'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION'])

    service().advance(DAY)
    const { client } = await signedIn(service(), founder.email)
    const organizationId = founder.organization.id
    const resent = await client.post(INVITE, { email: first.email, role: 'admin', organizationId, resend: true })
    assert.deepEqual([resent.body.id, resent.body.role], [first.invitationId, 'admin'])
    assert.ok(Date.parse(resent.body.expiresAt) - Date.parse(resent.body.createdAt) > 7.9 * DAY)
    const newLink = await invitationLink(service(), first.email)
    assert.notEqual(newLink, first.linkPath)
    assert.equal(
      (await service().client().get(first.linkPath)).headers.get('location'),
      '/invitation?error=INVITATION_NOT_FOUND',
    )
    assert.equal((await service().client().get(newLink)).headers.get('location'), '/sign-up')
  })

  test('invite-member with resend keeps the id of an expired invitation', async () => {
    const founder = await administratorWithOrganization(service())
    const first = await invite(service(), founder)
    service().advance(8 * DAY)
    const { client } = await signedIn(service(), founder.email)
    const body = { email: first.email, role: 'member', organizationId: founder.organization.id }
    const resent = await client.post(INVITE, { ...body, resend: true })
    assert.equal(resent.body.id, first.invitationId)
    assert.equal(
      (
        await service()
          .client()
          .get(await invitationLink(service(), first.email))
      ).headers.get('location'),
      '/sign-up',
    )
  })

  test('invite-member with resend emails the new link when the invitation is concurrently canceled', async () => {
    const founder = await administratorWithOrganization(service())
    const { email, invitationId } = await invite(service(), founder)
    const canceling: ConcurrentStep = {
      begin: (transaction) => lockOrganizationForUpdate(transaction, founder.organization.id),
      finish: (transaction) => closeInvitation(transaction, service().context.now(), invitationId, 'canceled'),
    }
    const resent = await concurrently(service(), canceling, () =>
      founder.client.post(INVITE, { email, role: 'member', resend: true }),
    )
    assert.equal(resent.status, 200)
    assert.notEqual(resent.body.id, invitationId)
    const opened = await service()
      .client()
      .get(await invitationLink(service(), email))
    assert.equal(opened.headers.get('location'), '/sign-up')
  })

  test('invite-member with resend emails a link that works when maintenance deletes the old invitation concurrently', async () => {
    const founder = await administratorWithOrganization(service())
    const { email, invitationId } = await invite(service(), founder)
    service().advance(98 * DAY)
    const { client } = await signedIn(service(), founder.email)
    const purge: ConcurrentStep = {
      begin: (transaction) => transaction.deleteFrom('invitations').where('id', '=', invitationId).execute(),
    }
    const body = { email, role: 'member', organizationId: founder.organization.id, resend: true }
    const { status } = await concurrently(service(), purge, () => client.post(INVITE, body))
    assert.equal(status, 200)
    const opened = await service()
      .client()
      .get(await invitationLink(service(), email))
    assert.equal(opened.headers.get('location'), '/sign-up')
  })

  test('invite-member with expectedInvitationId renews that invitation, also after its expiry', async () => {
    const founder = await administratorWithOrganization(service())
    const { email, invitationId } = await invite(service(), founder)
    const organizationId = founder.organization.id
    const body = { email, role: 'member', organizationId, resend: true, expectedInvitationId: invitationId }
    for (const age of [0, 8 * DAY]) {
      service().advance(age)
      const { client } = await signedIn(service(), founder.email)
      const { status, body: renewed } = await client.post(INVITE, body)
      assert.deepEqual([status, renewed.id], [200, invitationId])
    }
  })

  const changes: [name: string, change: (founder: TestMember, invited: Invited) => Promise<unknown>][] = [
    ['was canceled', ({ client }, { invitationId }) => client.post(CANCEL, { invitationId })],
    [
      'was canceled, and its address invited as a member',
      async (founder, { email, invitationId }) => {
        await founder.client.post(CANCEL, { invitationId })
        await invite(service(), founder, email)
      },
    ],
    [
      'was canceled, and its address invited with the same role',
      async (founder, { email, invitationId }) => {
        await founder.client.post(CANCEL, { invitationId })
        await invite(service(), founder, email, 'admin')
      },
    ],
    [
      'was sent again with another role',
      ({ client }, { email }) => client.post(INVITE, { email, role: 'member', resend: true }),
    ],
    [
      'was rejected',
      async (_, invited) =>
        (await signUp(service(), invited)).client.post(`${ORGANIZATION}/reject-invitation`, {
          invitationId: invited.invitationId,
        }),
    ],
    [
      'was accepted',
      async (_, invited) =>
        (await signUp(service(), invited)).client.post(`${ORGANIZATION}/accept-invitation`, {
          invitationId: invited.invitationId,
        }),
    ],
  ]
  for (const [name, change] of changes)
    test(`invite-member with expectedInvitationId changes nothing and sends nothing after that invitation ${name}`, async () => {
      const { database } = service().context
      const founder = await administratorWithOrganization(service())
      const organizationId = founder.organization.id
      const invited = await invite(service(), founder, newEmail(), 'admin')
      const { email, invitationId } = invited
      await change(founder, invited)
      const stored = async () => ({
        invitations: await database
          .selectFrom('invitations')
          .selectAll()
          .where('email', '=', email)
          .orderBy('id')
          .execute(),
        emails: await database.selectFrom('outbox').selectAll().where('recipient', '=', email).orderBy('id').execute(),
      })
      const before = await stored()
      const body = { email, role: 'admin', organizationId, resend: true, expectedInvitationId: invitationId }
      const answer = await founder.client.post(INVITE, body)
      assert.deepEqual([answer.status, answer.body.code], [404, 'INVITATION_NOT_FOUND'])
      assert.match(answer.body.message, /^Nothing was sent: this invitation has changed or ended /)
      assert.deepEqual(await stored(), before)
    })

  test('invite-member with expectedInvitationId is refused when the invitation is concurrently canceled', async () => {
    const founder = await administratorWithOrganization(service())
    const { email, invitationId } = await invite(service(), founder)
    const canceling: ConcurrentStep = {
      begin: (transaction) => lockOrganizationForUpdate(transaction, founder.organization.id),
      finish: (transaction) => closeInvitation(transaction, service().context.now(), invitationId, 'canceled'),
    }
    const body = { email, role: 'member', resend: true, expectedInvitationId: invitationId }
    const answer = await concurrently(service(), canceling, () => founder.client.post(INVITE, body))
    assert.deepEqual([answer.status, answer.body.code], [404, 'INVITATION_NOT_FOUND'])
    assert.deepEqual(await service().emails(email), [])
  })

  test('invite-member refuses members, unknown roles and invalid addresses, and sends no email', async () => {
    const founder = await administratorWithOrganization(service())
    const colleague = await member(service(), founder)
    const already = await founder.client.post(INVITE, {
      email: colleague.email.toUpperCase(),
      role: 'member',
      resend: true,
    })
    assert.deepEqual([already.status, already.body.code], [400, 'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION'])
    const unknown = await founder.client.post(INVITE, { email: newEmail(), role: 'chief' })
    assert.deepEqual([unknown.status, unknown.body.code, unknown.body.field], [400, 'ROLE_NOT_FOUND', 'role'])
    for (const role of ORGANIZATION_ROLES) assert.match(unknown.body.message, new RegExp(`\\b${role}\\b`))
    for (const email of ['hire@\u212aelvin.example', 'a b@example.com', 'a@b', 'a@example.com\r\nbcc: b@example.com']) {
      const answer = await founder.client.post(INVITE, { email, role: 'member' })
      assert.deepEqual([answer.status, answer.body.field], [400, 'email'], email)
    }
    const plain = await colleague.client.post(INVITE, { email: newEmail(), role: 'member' })
    assert.deepEqual([plain.status, plain.body.code], [403, 'FORBIDDEN'])
  })

  test('An admin can neither cancel nor change an open invitation that grants the role owner, by any route', async () => {
    const founder = await administratorWithOrganization(service())
    const admin = await member(service(), founder, 'admin')
    const partner = await member(service(), founder, 'owner')
    const { email, invitationId, linkPath } = await invite(service(), partner, newEmail(), 'owner')
    const organizationId = founder.organization.id
    const refused = [
      'YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE',
      'Only an owner may change the invitation of an owner.',
    ]
    const cancel = () => admin.client.post('/api/auth/organization/cancel-invitation', { invitationId })
    const resend = () => admin.client.post(INVITE, { email, role: 'member', resend: true, organizationId })
    for (const change of [cancel, resend]) {
      const { status, body } = await change()
      assert.equal(status, 403)
      assert.match(body.message, /^Only an owner may (cancel|change) the invitation of an owner\.$/)
    }
    const opened = await service().client().get(linkPath)
    assert.equal(opened.headers.get('location'), '/sign-up')

    const removal = { memberIdOrEmail: partner.email, organizationId }
    assert.equal((await founder.client.post('/api/auth/organization/remove-member', removal)).status, 200)
    const bulk = { emails: [email], role: 'member', organizationId }
    const { body } = await admin.client.post('/api/auth/organization/invite-members', bulk)
    assert.deepEqual([body.results[0].code, body.results[0].message], refused)
    const again = await founder.client.post(INVITE, { email, role: 'member', resend: true, organizationId })
    assert.deepEqual([again.status, again.body.id], [200, invitationId])
    assert.equal((await cancel()).status, 200)
  })

  test('Twenty concurrent invite-member calls in two processes create one invitation of an address', async () => {
    const founder = await administratorWithOrganization(service())
    const email = newEmail()
    const second = await getSecond()
    const body = { email, role: 'member', organizationId: founder.organization.id }
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        bearerClient(index % 2 ? second : service(), founder).post(INVITE, body),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal((await service().emails(email)).length, 1)
  })

  test('CVE-2022-31127: markup and line breaks in names are escaped in the invitation email', async () => {
    const founder = await administratorWithOrganization(service())
    const name = '<img src=x onerror=alert(1)> & "friends"'
    await founder.client.post('/api/auth/organization/update', { data: { name } })
    const { email } = await invite(service(), founder)
    const [message] = await service().emails(email)
    assert.ok(message?.html.includes('&lt;img src=x'))
    assert.ok(!message?.html.includes('<img'))
    const broken = await founder.client.post('/api/auth/organization/update', {
      data: { name: 'a\r\nbcc: x@example.com' },
    })
    assert.deepEqual([broken.status, broken.body.field], [400, 'data.name'])
  })
})
