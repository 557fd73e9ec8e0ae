import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConcurrentStep, concurrently } from '../../../../test/support/concurrently.ts'
import { startDelivery } from '../../../../test/support/delivery.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { administer, userWithRole } from '../../../../test/support/staff.ts'
import {
  administrator,
  administratorWithOrganization,
  type Invited,
  invite,
  member,
  memberIdOf,
  newEmail,
  newMember,
  PASSWORD,
  signUp,
  type TestMember,
} from '../../../../test/support/users.ts'
import { OPERATOR } from '../../../core/audit/actor.ts'
import { listUnsentEmails, requeueFailedEmails } from '../../../platform/mail/failed-emails.ts'
import { type LeasedEmail, leaseEmail, markDelayed, markFailed, markSent } from '../../../platform/mail/lease-email.ts'
import { retryFailedEmails } from '../../staff/emails/retry-emails.ts'

const ORGANIZATION = '/api/auth/organization'

onEachDatabase('The emails of invitations whose link does not work any more', (service) => {
  const answer = async (invited: Invited, route: string) => {
    const { client } = await signUp(service(), invited)
    return client.post(`${ORGANIZATION}/${route}`, { invitationId: invited.invitationId })
  }
  const cancel = ({ client }: TestMember, { invitationId }: Invited) =>
    client.post(`${ORGANIZATION}/cancel-invitation`, { invitationId })
  type End = (inviter: TestMember, invited: Invited, founder: TestMember) => Promise<{ status: number }>
  const endings: [name: string, end: End][] = [
    ['is canceled', cancel],
    ['is accepted', (_, invited) => answer(invited, 'accept-invitation')],
    ['is rejected', (_, invited) => answer(invited, 'reject-invitation')],
    [
      'ends with its organization',
      ({ client, organization }) => client.post(`${ORGANIZATION}/delete`, { organizationId: organization.id }),
    ],
    [
      'has no inviter any more, because an owner removes the member',
      async ({ email, organization }, _, founder) =>
        founder.client.post(`${ORGANIZATION}/remove-member`, {
          memberIdOrEmail: email,
          organizationId: organization.id,
        }),
    ],
    [
      'has an inviter who may no longer invite, because an owner demotes the member',
      async (inviter, _, founder) =>
        founder.client.post(`${ORGANIZATION}/update-member-role`, {
          memberId: await memberIdOf(inviter),
          role: 'member',
          organizationId: inviter.organization.id,
        }),
    ],
    [
      'has no inviter any more, because staff delete the user',
      async ({ id }) => (await administrator(service())).client.post('/api/auth/admin/remove-user', { userId: id }),
    ],
  ]
  const endsOne = ['is canceled', 'is accepted', 'is rejected']
  for (const [name, end] of endings)
    test(`A waiting email is not sent after its invitation ${name}, and a failed one is not sent again`, async (t) => {
      const { context } = service()
      const { sink, delivery } = await startDelivery(t, service())
      const founder = await administratorWithOrganization(service())
      const inviter = await member(service(), founder, 'owner')
      const failed = await invite(service(), inviter)
      sink.refuseWith(550)
      await delivery.deliverDue()
      sink.refuseWith(undefined)
      const waiting = await invite(service(), inviter)
      assert.equal((await end(inviter, waiting, founder)).status, 200)
      if (endsOne.includes(name)) assert.equal((await end(inviter, failed, founder)).status, 200)
      await retryFailedEmails(context, OPERATOR)
      await delivery.deliverDue()
      const recipients = sink.emails.flatMap(({ envelope }) => envelope.to)
      assert.deepEqual(
        [waiting, failed].filter(({ email }) => recipients.includes(email)),
        [],
      )
    })

  test('An invitation whose email is not sent, because staff delete its inviter, does not count as refused by the mail server', async () => {
    const founder = await administratorWithOrganization(service())
    const inviter = await member(service(), founder, 'admin')
    const { email } = await invite(service(), inviter)
    const { client } = await administrator(service())
    assert.equal((await client.post('/api/auth/admin/remove-user', { userId: inviter.id })).status, 200)
    const list = async (status: string) => {
      const query = `organizationId=${founder.organization.id}&status=${status}`
      const { body } = await founder.client.get(`${ORGANIZATION}/list-invitations?${query}`)
      return body.invitations.map((invitation: { email: string }) => invitation.email)
    }
    assert.deepEqual([await list('failed'), await list('pending')], [[], [email]])
  })

  test('A waiting email is sent after its inviter has deleted the own account, because an owner is the inviter then', async (t) => {
    const { sink, delivery } = await startDelivery(t, service())
    const inviter = await newMember(service(), 'admin')
    const { email } = await invite(service(), inviter)
    assert.equal((await inviter.client.post('/api/auth/delete-user', { password: PASSWORD })).status, 200)
    await delivery.deliverDue()
    assert.ok(sink.emails.some(({ envelope }) => envelope.to.includes(email)))
  })

  test('A waiting email is not sent after its inviter has left without the role that the invitation needs', async (t) => {
    const { sink, delivery } = await startDelivery(t, service())
    const founder = await administratorWithOrganization(service())
    const inviter = await member(service(), founder, 'owner')
    const passed = await invite(service(), inviter)
    const { email } = await invite(service(), inviter, newEmail(), 'owner')
    const organizationId = founder.organization.id
    const { body } = await founder.client.get(`${ORGANIZATION}/list-members?organizationId=${organizationId}`)
    const { id: memberId } = body.members.find(({ userId }: { userId: string }) => userId === inviter.id)
    const demotion = { memberId, role: 'admin', organizationId }
    assert.equal((await founder.client.post(`${ORGANIZATION}/update-member-role`, demotion)).status, 200)
    assert.equal((await inviter.client.post(`${ORGANIZATION}/leave`, { organizationId })).status, 200)
    await delivery.deliverDue()
    const recipients = sink.emails.flatMap(({ envelope }) => envelope.to)
    assert.deepEqual([recipients.includes(passed.email), recipients.includes(email)], [true, false])
  })

  test('After a transfer of the ownership, a waiting email is sent if an admin may invite with its role', async (t) => {
    const { sink, delivery } = await startDelivery(t, service())
    const founder = await administratorWithOrganization(service())
    const inviter = await member(service(), founder, 'owner')
    const toMember = await invite(service(), inviter)
    const toOwner = await invite(service(), inviter, newEmail(), 'owner')
    const transfer = { memberId: await memberIdOf(founder), organizationId: founder.organization.id }
    assert.equal((await inviter.client.post(`${ORGANIZATION}/transfer-ownership`, transfer)).status, 200)
    await delivery.deliverDue()
    const recipients = sink.emails.flatMap(({ envelope }) => envelope.to)
    assert.deepEqual(
      [toMember, toOwner].map(({ email }) => recipients.includes(email)),
      [true, false],
    )
  })

  test('A waiting email of an inviter whose role is changed during a ban is sent, because the ban ends before the link does', async (t) => {
    const { sink, delivery } = await startDelivery(t, service())
    const founder = await administratorWithOrganization(service())
    const inviter = await member(service(), founder, 'admin')
    const { email } = await invite(service(), inviter)
    const promotion = { memberId: await memberIdOf(inviter), role: 'owner', organizationId: founder.organization.id }
    await administer(founder, 'ban-user', { userId: inviter.id, banExpiresIn: 3_600 })
    assert.equal((await founder.client.post(`${ORGANIZATION}/update-member-role`, promotion)).status, 200)
    await administer(founder, 'set-role', { userId: inviter.id, role: 'support' })
    await administer(founder, 'unban-user', { userId: inviter.id })
    await delivery.deliverDue()
    assert.ok(sink.emails.some(({ envelope }) => envelope.to.includes(email)))
  })

  test('A waiting email to the owner of a new organization is not sent after set-role demotes its administrator', async (t) => {
    const { sink, delivery } = await startDelivery(t, service())
    const admin = await administrator(service())
    const inviter = await userWithRole(service(), admin, 'admin')
    const ownerEmail = newEmail()
    await administer(inviter, 'create-organization', { name: 'New Works', slug: ownerEmail.split('@')[0], ownerEmail })
    await administer(admin, 'set-role', { userId: inviter.id, role: 'support' })
    await delivery.deliverDue()
    assert.ok(!sink.emails.some(({ envelope }) => envelope.to.includes(ownerEmail)))
  })

  test('A waiting email to the new owner of an organization without one is sent, although its administrator is no member now', async (t) => {
    const { sink, delivery } = await startDelivery(t, service())
    const founder = await administratorWithOrganization(service())
    const organizationId = founder.organization.id
    const owner = await member(service(), founder, 'owner')
    const demotion = { memberId: await memberIdOf(founder), role: 'admin', organizationId }
    const [ownerEmail, staff] = [newEmail(), '/api/auth/admin']
    const answers = [
      await owner.client.post(`${ORGANIZATION}/update-member-role`, demotion),
      await founder.client.post(`${staff}/ban-user`, { userId: owner.id }),
      await founder.client.post(`${staff}/invite-owner`, { organizationId, ownerEmail }),
      await founder.client.post(`${ORGANIZATION}/leave`, { organizationId }),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    )
    await delivery.deliverDue()
    assert.ok(sink.emails.some(({ envelope }) => envelope.to.includes(ownerEmail)))
  })

  test('An invitation that is sent again while its email waits is emailed once, with the new link', async (t) => {
    const { sink, delivery } = await startDelivery(t, service())
    const { client, organization } = await administratorWithOrganization(service())
    const email = newEmail()
    const body = { email, role: 'member', organizationId: organization.id }
    assert.equal((await client.post(`${ORGANIZATION}/invite-member`, body)).status, 200)
    assert.equal((await client.post(`${ORGANIZATION}/invite-member`, { ...body, resend: true })).status, 200)
    await delivery.deliverDue()
    const received = sink.emails.filter(({ envelope }) => envelope.to.includes(email))
    assert.equal(received.length, 1)
    const link = received[0]?.text.match(/https?:\S+\/invite\/\S+/)?.[0] ?? ''
    assert.equal((await service().client().get(new URL(link).pathname)).headers.get('location'), '/sign-up')
  })

  test('An email that is canceled while it is made due again is discarded, and not listed as failed', async () => {
    const { context } = service()
    await context.database.deleteFrom('outbox').execute()
    const founder = await administratorWithOrganization(service())
    const invited = await invite(service(), founder)
    const leased = await leaseEmail(context)
    assert.equal(leased?.recipient, invited.email)
    await markFailed(context, leased, '550 No such user')
    const retry: ConcurrentStep = {
      begin: (transaction) => requeueFailedEmails(transaction, context.now(), undefined),
    }
    assert.equal((await concurrently(service(), retry, () => cancel(founder, invited))).status, 200)
    const { lastError, failedAt } = await context.database
      .selectFrom('outbox')
      .selectAll()
      .where('recipient', '=', invited.email)
      .executeTakeFirstOrThrow()
    assert.ok(failedAt !== null)
    assert.match(lastError ?? '', /^Not sent: the invitation ended/)
  })

  test('An email that is being sent while its invitation is canceled is listed as sent when the mail server accepts it', async () => {
    const { context } = service()
    await context.database.deleteFrom('outbox').execute()
    const founder = await administratorWithOrganization(service())
    const invited = await invite(service(), founder)
    const leased = await leaseEmail(context)
    assert.equal(leased?.recipient, invited.email)
    assert.equal((await cancel(founder, invited)).status, 200)
    await markSent(context, leased, '250 OK')
    const { client } = await administrator(service())
    for (const status of ['failed', 'discarded']) {
      const filtered = await client.get(`/api/auth/admin/list-emails?recipient=${invited.email}&status=${status}`)
      assert.deepEqual(filtered.body.emails, [], status)
    }
    const { body } = await client.get(`/api/auth/admin/list-emails?recipient=${invited.email}`)
    assert.deepEqual(
      body.emails.map(({ status, answer }: Record<string, unknown>) => [status, answer]),
      [['sent', '250 OK']],
    )
  })

  test('An email that is being sent while its invitation is canceled stays given up when the mail server delays or refuses it', async () => {
    const { context } = service()
    const founder = await administratorWithOrganization(service())
    const { client } = await administrator(service())
    const outcomes = [
      (leased: LeasedEmail) =>
        markDelayed(context, leased, { answer: '451 Try later', attempts: 1, delayMilliseconds: 1_000 }),
      (leased: LeasedEmail) => markFailed(context, leased, '550 No such user'),
    ]
    for (const mark of outcomes) {
      await context.database.deleteFrom('outbox').execute()
      const invited = await invite(service(), founder)
      const leased = await leaseEmail(context)
      assert.equal(leased?.recipient, invited.email)
      assert.equal((await cancel(founder, invited)).status, 200)
      await mark(leased)
      const { body } = await client.get(`/api/auth/admin/list-emails?recipient=${invited.email}`)
      assert.deepEqual(
        body.emails.map(({ status, answer }: Record<string, unknown>) => [status, answer]),
        [['discarded', 'Not sent: the invitation ended or was sent again, or its inviter may no longer invite']],
      )
    }
  })

  test('Staff see why the email was not sent, and neither an alert nor a reason of the help desk', async () => {
    const founder = await administratorWithOrganization(service())
    const { client } = await administrator(service())
    const attention = async () => (await client.get('/api/auth/admin/get-system')).body.attention
    const before = await attention()
    const invited = await invite(service(), founder)
    assert.equal((await cancel(founder, invited)).status, 200)
    const { body } = await client.get(`/api/auth/admin/list-emails?recipient=${invited.email}`)
    assert.deepEqual(
      body.emails.map(({ status, answer, canRetry }: Record<string, unknown>) => [status, answer, canRetry]),
      [['discarded', 'Not sent: the invitation ended or was sent again, or its inviter may no longer invite', false]],
    )
    for (const [state, count] of [
      ['discarded', 1],
      ['failed', 0],
    ] as const) {
      const filtered = await client.get(`/api/auth/admin/list-emails?recipient=${invited.email}&status=${state}`)
      assert.equal(filtered.body.emails.length, count, state)
    }
    const listed = await listUnsentEmails(service().context.database, {
      now: service().context.now(),
      isFailed: true,
      limit: 1_000,
    })
    assert.deepEqual(
      listed.filter(({ recipient }) => recipient === invited.email),
      [],
    )
    assert.deepEqual(await attention(), before)
    const status = await client.get(`/api/auth/admin/get-sign-in-status?email=${invited.email}`)
    assert.deepEqual(
      status.body.reasons.map(({ code }: { code: string }) => code),
      ['NO_USER'],
    )
  })
})
