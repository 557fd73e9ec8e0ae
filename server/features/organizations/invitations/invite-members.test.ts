import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConcurrentStep, concurrently } from '../../../../test/support/concurrently.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import {
  administrator,
  administratorWithOrganization,
  invitationLink,
  invite,
  member,
  newEmail,
  newMember,
  signUp,
} from '../../../../test/support/users.ts'
import { lockOrganizationForUpdate } from '../../../core/memberships/lock-membership.ts'

const INVITE = '/api/auth/organization/invite-members'

interface Result {
  email: string
  status: string
  invitationId?: string
  code?: string
  message?: string
}

onEachDatabase('invite-members', (service) => {
  test('invite-members invites each good address and refuses the others with a code, in the order of the request', async () => {
    const founder = await administratorWithOrganization(service())
    const colleague = await member(service(), founder)
    const second = newEmail()
    const { email: first } = await newMember(service())
    const emails = [second, 'no address', ` ${second.toUpperCase()} `, '', colleague.email, first]
    const { status, body } = await founder.client.post(INVITE, { emails, role: 'admin' })
    assert.equal(status, 200, JSON.stringify(body))
    const results: Result[] = body.results
    assert.deepEqual(
      results.map(({ email }) => email),
      emails,
    )
    assert.deepEqual(
      results.map(({ code = 'invited' }) => code),
      [
        'invited',
        'INVALID_EMAIL',
        'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION',
        'INVALID_EMAIL',
        'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION',
        'invited',
      ],
    )
    assert.ok(results.every(({ status, message }) => (status === 'invited') === (message === undefined)))
    const list = `/api/auth/organization/list-invitations?organizationId=${founder.organization.id}`
    const { invitations } = (await founder.client.get(list)).body
    const open = invitations.filter((invitation: Result) => invitation.status === 'pending')
    assert.deepEqual(
      open.map(({ id, role }: { id: string; role: string }) => [id, role]).toSorted(),
      [results[0], results[5]].map((result) => [result?.invitationId, 'admin']).toSorted(),
    )
    for (const email of [first, second]) assert.equal((await service().emails(email)).length, 1)
  })

  test('invite-members records a limit that it reaches, as a single invitation does', async (t) => {
    const { config } = service()
    const { organizationInvitationsPerDay } = config
    t.after(() => Object.assign(config, { organizationInvitationsPerDay }))
    Object.assign(config, { organizationInvitationsPerDay: 1 })
    const founder = await administratorWithOrganization(service())
    const { body } = await founder.client.post(INVITE, { emails: [newEmail(), newEmail(), newEmail()], role: 'member' })
    assert.deepEqual(
      body.results.map(({ code }: Result) => code),
      [undefined, 'TOO_MANY_REQUESTS', 'TOO_MANY_REQUESTS'],
    )
    await service().context.repeatedEvents.save()
    const events = await service()
      .context.database.selectFrom('auditEvents')
      .select('details')
      .where('action', '=', 'limit.reached')
      .where('organizationId', '=', founder.organization.id)
      .execute()
    assert.deepEqual(
      events.map(({ details }) => JSON.parse(details)),
      [{ route: INVITE, code: 'TOO_MANY_REQUESTS', count: 1 }],
    )
  })

  test('invite-members and invite-member renew an invitation whose inviter may not invite any more', async () => {
    const staff = await administrator(service())
    const founder = await administratorWithOrganization(service())
    const { client, organization } = founder
    const admin = await member(service(), founder, 'admin')
    const [first, second] = [await invite(service(), admin), await invite(service(), admin)]
    const hired = await signUp(service(), { ...first })
    const received = async () => (await hired.client.get('/api/auth/organization/list-user-invitations')).body.length
    const statusOf = async ({ email }: { email: string }) =>
      (await staff.client.get(`/api/auth/admin/get-sign-in-status?email=${encodeURIComponent(email)}`)).body
    assert.deepEqual([await received(), (await statusOf(second)).openInvitation?.id], [1, second.invitationId])

    await client.post('/api/auth/organization/remove-member', { memberIdOrEmail: admin.email })
    assert.deepEqual([await received(), (await statusOf(second)).openInvitation], [0, null])
    const { body } = await client.post(INVITE, { emails: [first.email], role: 'member' })
    assert.equal(body.results[0].invitationId, first.invitationId)
    const alone = await client.post('/api/auth/organization/invite-member', { email: second.email, role: 'member' })
    assert.deepEqual([alone.status, alone.body.id], [200, second.invitationId])
    for (const { email } of [first, second]) {
      const opened = await service()
        .client()
        .get(await invitationLink(service(), email))
      assert.match(opened.headers.get('location') ?? '', /^\/sign-(up|in)$/)
    }
    const again = await client.post('/api/auth/organization/invite-member', { email: second.email, role: 'member' })
    assert.equal(again.body.code, 'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION')

    assert.equal(await received(), 1)
    const accepted = await hired.client.post('/api/auth/organization/accept-invitation', {
      invitationId: first.invitationId,
    })
    assert.deepEqual([accepted.status, accepted.body.member?.organizationId], [200, organization.id])
  })

  test('invite-members invites 500 addresses of one request, each with its email and its audit event', async () => {
    const founder = await administratorWithOrganization(service())
    const emails = Array.from({ length: 500 }, newEmail)
    const { body } = await founder.client.post(INVITE, { emails, role: 'member' })
    const results: Result[] = body.results
    assert.equal(results.filter(({ status }) => status === 'invited').length, 500)
    const { database } = service().context
    const count = async (table: 'outbox' | 'auditEvents' | 'invitations') =>
      (await database.selectFrom(table).select('id').where('organizationId', '=', founder.organization.id).execute())
        .length
    assert.equal(await count('outbox'), 500)
    assert.equal(await count('invitations'), 500)
    assert.ok((await count('auditEvents')) >= 500)
    for (const wrong of [[], [...emails, newEmail()]]) {
      const refused = await founder.client.post(INVITE, { emails: wrong, role: 'member' })
      assert.deepEqual([refused.status, refused.body.field], [400, 'emails'])
    }
  })

  test('invite-members lets other requests pass, and renders no email of an address that it refuses', async (t) => {
    const founder = await administratorWithOrganization(service())
    const { client } = founder
    const encrypt = t.mock.method(service().context.keyring, 'encrypt')
    const emails = Array.from({ length: 500 }, (_, index) => `same${index % 10}@example.com`)
    let others = 0
    let isDone = false
    const invited = client.post(INVITE, { emails, role: 'member' }).finally(() => {
      isDone = true
    })
    while (!isDone) {
      await service().client().get('/api/auth/ok')
      others += 1
    }
    const { body } = await invited
    assert.equal(body.results.filter(({ status }: Result) => status === 'invited').length, 10)
    assert.equal(encrypt.mock.callCount(), 10)
    assert.ok(others >= 3, `${others} other requests`)
    await client.post(INVITE, { emails, role: 'member' })
    assert.equal(encrypt.mock.callCount(), 10)
  })

  test('invite-members refuses unknown roles, and roles that the caller may not grant', async () => {
    const founder = await administratorWithOrganization(service())
    const admin = await member(service(), founder, 'admin')
    const organizationId = founder.organization.id
    const call = async (role: string) => {
      const { status, body } = await admin.client.post(INVITE, { emails: [newEmail()], role, organizationId })
      return [status, body.code]
    }
    assert.deepEqual(await call('chief'), [400, 'ROLE_NOT_FOUND'])
    assert.deepEqual(await call('owner'), [403, 'YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE'])
  })

  test('invite-members refuses an address that has five invitations of this hour, and invites the others', async () => {
    const known = newEmail()
    for (let count = 0; count < 5; count++) {
      const founder = await administratorWithOrganization(service())
      await founder.client.post(INVITE, { emails: [known], role: 'member' })
    }
    const founder = await administratorWithOrganization(service())
    const { body } = await founder.client.post(INVITE, { emails: [known, newEmail()], role: 'member' })
    assert.deepEqual(
      body.results.map(({ code = 'invited' }: Result) => code),
      ['TOO_MANY_REQUESTS', 'invited'],
    )
    const list = `/api/auth/organization/list-invitations?organizationId=${founder.organization.id}`
    assert.equal((await founder.client.get(list)).body.total, 1)
  })

  test('invite-members sends nothing when the caller is concurrently removed', async () => {
    const founder = await administratorWithOrganization(service())
    const admin = await member(service(), founder, 'admin')
    const organizationId = founder.organization.id
    const removing: ConcurrentStep = {
      begin: (transaction) => lockOrganizationForUpdate(transaction, organizationId),
      finish: (transaction) => transaction.deleteFrom('members').where('userId', '=', admin.id).execute(),
    }
    const email = newEmail()
    const answer = await concurrently(service(), removing, () =>
      admin.client.post(INVITE, { emails: [email], role: 'member', organizationId }),
    )
    assert.deepEqual([answer.status, answer.body.code], [404, 'ORGANIZATION_NOT_FOUND'])
    assert.deepEqual(await service().emails(email), [])
  })
})

onEachDatabase(
  'invite-members and the daily limit',
  (service) => {
    test('invite-members refuses the addresses beyond the daily limit of the organization, and sends the others', async () => {
      const founder = await administratorWithOrganization(service())
      const emails = Array.from({ length: 45 }, newEmail)
      const { body } = await founder.client.post(INVITE, { emails, role: 'member' })
      const codes = body.results.map(({ code = 'invited' }: Result) => code)
      assert.equal(codes.filter((code: string) => code === 'invited').length, 30)
      assert.equal(codes.filter((code: string) => code === 'TOO_MANY_REQUESTS').length, 15)
      assert.match(body.results.at(-1).message, /as many invitations as it may in a day/)
    })
  },
  { ORGANIZATION_INVITATIONS_PER_DAY: '30' },
)

onEachDatabase(
  'The limit of invitations by one user',
  (service) => {
    test('A user sends as many invitations as five organizations may, also with more of them and with deleted ones', async () => {
      const founder = await administratorWithOrganization(service())
      const { client, email: address, ...inviter } = await member(service(), founder, 'owner')
      let { organization } = inviter
      for (let count = 0; count < 5; count++) {
        const emails = [newEmail(), newEmail(), 'no address']
        const { body } = await client.post(INVITE, { emails, role: 'member' })
        assert.equal(body.results.filter(({ status }: Result) => status === 'invited').length, 1)
        await client.post('/api/auth/organization/delete', { organizationId: organization.id })
        const another = { name: 'Another Works', slug: newEmail().split('@')[0] }
        const created = await client.post('/api/auth/organization/create', another)
        assert.equal(created.status, 200)
        organization = created.body
      }
      for (const [path, body] of [
        [INVITE, { emails: [newEmail()], role: 'member' }],
        ['/api/auth/organization/invite-member', { email: newEmail(), role: 'member' }],
      ] as const) {
        const refused = await client.post(path, body)
        const { status, body: refusal } = refused
        assert.deepEqual([status, refusal.code, refusal.field], [429, 'TOO_MANY_REQUESTS', undefined], path)
      }
      const { body } = await (await administrator(service())).client.get('/api/auth/admin/list-throttles')
      const found = body.throttles.find(({ subject }: { subject: string }) => subject === address)
      assert.deepEqual([found?.kind, found?.holder, found?.limit], ['invitation', 'user', 5])
      const others = { emails: [newEmail()], role: 'member' }
      assert.equal((await (await administratorWithOrganization(service())).client.post(INVITE, others)).status, 200)
    })

    test('An invitation that is refused because of the organization counts against no limit of the inviter', async () => {
      const founder = await administratorWithOrganization(service())
      const { client, email } = await member(service(), founder, 'owner')
      const inviteOne = (address: string) =>
        client.post('/api/auth/organization/invite-member', { email: address, role: 'member', resend: true })
      assert.equal((await inviteOne(newEmail())).status, 200)
      for (let count = 0; count < 3; count++) {
        assert.equal((await inviteOne(email)).body.code, 'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION')
        assert.match((await inviteOne(newEmail())).body.message, /^The organization has sent as many invitations/)
      }
      const another = { name: 'Another Works', slug: newEmail().split('@')[0] }
      assert.equal((await client.post('/api/auth/organization/create', another)).status, 200)
      assert.equal((await inviteOne(newEmail())).status, 200)
    })

    test('An invitation that is refused for lack of a fresh session counts against no limit', async () => {
      const { client } = await administratorWithOrganization(service())
      service().advance(15 * 60_000)
      for (let count = 0; count < 5; count++) {
        for (const [path, body] of [
          [INVITE, { emails: [newEmail()], role: 'admin' }],
          ['/api/auth/organization/invite-member', { email: newEmail(), role: 'admin' }],
        ] as const) {
          const refused = await client.post(path, body)
          assert.deepEqual([refused.status, refused.body.code], [403, 'SESSION_NOT_FRESH'], path)
        }
      }
      const invited = await client.post('/api/auth/organization/invite-member', { email: newEmail(), role: 'member' })
      assert.equal(invited.status, 200)
    })
  },
  { ORGANIZATION_INVITATIONS_PER_DAY: '1' },
)

onEachDatabase(
  'invite-members and the limit of the inviter',
  (service) => {
    test('invite-members sends the first invitations that the limit of the inviter allows, and refuses the addresses after them', async () => {
      const founder = await administratorWithOrganization(service())
      const { client } = await member(service(), founder, 'owner')
      const inviteTo = async (emails: string[]) => (await client.post(INVITE, { emails, role: 'member' })).body.results
      for (const count of [3, 3, 3, 3, 2]) {
        const another = { name: 'Another Works', slug: newEmail().split('@')[0] }
        assert.equal((await client.post('/api/auth/organization/create', another)).status, 200)
        const results: Result[] = await inviteTo(Array.from({ length: count }, newEmail))
        assert.ok(results.every(({ status }) => status === 'invited'))
      }
      await client.post('/api/auth/organization/set-active', { organizationId: founder.organization.id })
      const [first, second, third] = [newEmail(), newEmail(), newEmail()]
      const results: Result[] = await inviteTo(['no address', first, 'no address', second, third])
      assert.deepEqual(
        results.map(({ code = 'invited' }) => code),
        ['INVALID_EMAIL', 'invited', 'INVALID_EMAIL', 'TOO_MANY_REQUESTS', 'TOO_MANY_REQUESTS'],
      )
      assert.match(results.at(-1)?.message ?? '', /^You have sent as many invitations as you may in a day/)
      for (const [email, count] of [
        [first, 1],
        [second, 0],
        [third, 0],
      ] as const)
        assert.equal((await service().emails(email)).length, count)
    })
  },
  { ORGANIZATION_INVITATIONS_PER_DAY: '3' },
)

onEachDatabase(
  'invite-members and the limit of changes',
  (service) => {
    test("invite-members costs one change for 50 addresses, so that one user can't occupy the service", async () => {
      const founder = await administratorWithOrganization(service())
      service().advance(61_000)
      const emails = Array.from({ length: 200 }, newEmail)
      const { body } = await founder.client.post(INVITE, { emails, role: 'member' })
      const codes = body.results.map(({ code = 'invited' }: Result) => code)
      assert.deepEqual(codes, [...Array(150).fill('invited'), ...Array(50).fill('TOO_MANY_REQUESTS')])
    })
  },
  { USER_CHANGES_PER_MINUTE: '3' },
)

onEachDatabase('preview-invitation', (service) => {
  test('preview-invitation returns the email with a link that opens nothing, and sends no email', async () => {
    const { client, organization } = await administratorWithOrganization(service())
    const path = `/api/auth/organization/preview-invitation?organizationId=${organization.id}`
    const { status, body } = await client.get(`${path}&role=admin`)
    assert.equal(status, 200)
    assert.match(body.subject, /Example Works/)
    assert.match(body.text, /as an admin/)
    assert.match(body.html, /^<!doctype html>/i)
    const link = new URL(body.text.match(/https?:\S+\/invite\/\S+/)[0])
    const opened = await service().client().get(link.pathname)
    assert.equal(opened.headers.get('location'), '/invitation?error=INVITATION_NOT_FOUND')
    assert.deepEqual(await service().emails('new.colleague@example.com'), [])
    const unknown = await client.get(`${path}&role=chief`)
    assert.deepEqual([unknown.status, unknown.body.field], [400, 'role'])
  })
})
