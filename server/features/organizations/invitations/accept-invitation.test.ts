import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kysely } from 'kysely'
import { createAuthenticator } from '../../../../test/support/authenticator.ts'
import { bearerClient } from '../../../../test/support/bearer-client.ts'
import { type ConcurrentStep, concurrently } from '../../../../test/support/concurrently.ts'
import { registerOptions } from '../../../../test/support/passkeys.ts'
import { randomLetters } from '../../../../test/support/random-letters.ts'
import { secondProcess } from '../../../../test/support/second-process.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import {
  administratorWithOrganization,
  type Invited,
  invite,
  member,
  newEmail,
  newMember,
  PASSWORD,
  signedIn,
  signUp,
  type TestMember,
} from '../../../../test/support/users.ts'
import { whenServed } from '../../../../test/support/when-served.ts'
import { updateInviter } from '../../../core/invitations/inviter-store.ts'
import { lockUserForUpdate } from '../../../core/users/lock-user.ts'
import type { Tables } from '../../../platform/database/tables.ts'

const ORGANIZATION = '/api/auth/organization'
const ACCEPT = `${ORGANIZATION}/accept-invitation`
const REJECT = `${ORGANIZATION}/reject-invitation`
const CANCEL = `${ORGANIZATION}/cancel-invitation`

onEachDatabase('accept-invitation', (service) => {
  const getSecond = secondProcess(service)

  async function memberIds({ organization: { id } }: TestMember): Promise<string[]> {
    const { database } = service().context
    const members = await database.selectFrom('members').select('userId').where('organizationId', '=', id).execute()
    return members.map(({ userId }) => userId)
  }
  async function mayInviterInvite({ client, organization }: TestMember, { email }: Invited): Promise<boolean> {
    const { body } = await client.get(
      `${ORGANIZATION}/list-invitations?organizationId=${organization.id}&email=${email}`,
    )
    return body.invitations[0].inviterMayInvite
  }
  const memberCount = async (founder: TestMember) => (await memberIds(founder)).length

  test('Better Auth #9993: twenty concurrent accept-invitation calls in two processes add one member', async () => {
    const founder = await administratorWithOrganization(service())
    const { invitationId, ...invited } = await invite(service(), founder)
    const invitee = await signUp(service(), { invitationId, ...invited })
    const second = await getSecond()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        whenServed(() => bearerClient(index % 2 ? second : service(), invitee).post(ACCEPT, { invitationId })),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const { status, body } of answers) {
      if (status !== 200) assert.deepEqual([status, body.code], [400, 'INVITATION_ALREADY_USED'])
    }
    assert.equal(await memberCount(founder), 2)
  })

  test('One of concurrent accept, reject and cancel calls succeeds', async () => {
    for (let round = 0; round < 5; round += 1) {
      const founder = await administratorWithOrganization(service())
      const invited = await invite(service(), founder)
      const invitee = await signUp(service(), invited)
      const second = await getSecond()
      const body = { invitationId: invited.invitationId }
      const answers = await Promise.all([
        bearerClient(service(), invitee).post(ACCEPT, body),
        bearerClient(second, invitee).post(REJECT, body),
        bearerClient(second, founder).post(CANCEL, body),
      ])
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.equal(await memberCount(founder), answers[0]?.status === 200 ? 2 : 1)
    }
  })

  test('accept and reject return 404 for a user who loses the invited email address concurrently', async () => {
    const founder = await administratorWithOrganization(service())
    for (const path of [ACCEPT, REJECT]) {
      const invited = await invite(service(), founder)
      const { client, id } = await signUp(service(), invited)
      const begin: ConcurrentStep['begin'] = (transaction) =>
        transaction.updateTable('users').set({ email: newEmail() }).where('id', '=', id).execute()
      const request = () => client.post(path, { invitationId: invited.invitationId })
      const answer = await concurrently(service(), { begin }, request)
      assert.deepEqual([answer.status, answer.body.code], [404, 'INVITATION_NOT_FOUND'], path)
    }
  })

  test('CVE-2026-53514: an invitation can be read, listed, accepted and rejected with a verified email address only', async () => {
    const founder = await administratorWithOrganization(service())
    const invited = await invite(service(), founder)
    const { id, email } = await signUp(service(), invited)
    await service().context.database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', id).execute()
    const { client } = await signedIn(service(), email)
    const body = { invitationId: invited.invitationId }
    for (const answer of [
      await client.get(`${ORGANIZATION}/get-invitation?id=${invited.invitationId}`),
      await client.get(`${ORGANIZATION}/list-user-invitations`),
      await client.post(ACCEPT, body),
      await client.post(REJECT, body),
    ]) {
      assert.deepEqual([answer.status, answer.body.code], [403, 'EMAIL_NOT_VERIFIED'])
    }
  })

  test('CVE-2026-1529, CVE-2022-23555: a forged or combined invitation reference returns INVITATION_NOT_FOUND', async () => {
    const founder = await administratorWithOrganization(service())
    const other = await administratorWithOrganization(service())
    const one = await invite(service(), founder)
    const two = await invite(service(), other)
    const [id = '', secret = ''] = (one.linkPath.split('/').at(-1) ?? '').split('.')
    const [otherId = '', otherSecret = ''] = (two.linkPath.split('/').at(-1) ?? '').split('.')
    const flipped = `${secret.slice(0, -2)}${secret.endsWith('AA') ? 'BB' : 'AA'}`
    const forged = [
      `${id}.${otherSecret}`,
      `${otherId}.${secret}`,
      `${id}.${flipped}`,
      `${id}.${secret.slice(0, -1)}`,
      `${id}.${secret}A`,
      id,
      `${id}.`,
      `.${secret}`,
      `${id.toUpperCase()}.${secret}`,
      'inv_x',
      '%00',
    ]
    for (const reference of forged) {
      const client = service().client()
      const opened = await client.get(`/invite/${encodeURIComponent(reference)}`)
      assert.equal(opened.headers.get('location'), '/invitation?error=INVITATION_NOT_FOUND', reference)
      const body = { name: 'A', email: one.email, password: 'correct horse battery staple', invitation: reference }
      assert.ok([400, 404].includes((await client.post('/api/auth/sign-up/email', body)).status), reference)
    }
    assert.equal(
      await service()
        .context.database.selectFrom('users')
        .select('id')
        .where('email', '=', one.email)
        .executeTakeFirst(),
      undefined,
    )
  })

  test('CVE-2025-64708: an expired invitation is refused before the purge', async () => {
    const founder = await administratorWithOrganization(service())
    const invited = await invite(service(), founder)
    await signUp(service(), invited)
    service().advance(7 * 86_400_000)
    const { client } = await signedIn(service(), invited.email)
    const answer = await client.post(ACCEPT, { invitationId: invited.invitationId })
    assert.deepEqual([answer.status, answer.body.code], [400, 'INVITATION_EXPIRED'])
    assert.deepEqual((await client.get(`${ORGANIZATION}/list-user-invitations`)).body, [])
    assert.equal(await memberCount(founder), 1)
  })

  test('An invitation of a demoted, removed, banned or deleted inviter is refused', async () => {
    const founder = await administratorWithOrganization(service())
    const ends = [
      (_: TestMember, memberId: string) =>
        founder.client.post(`${ORGANIZATION}/update-member-role`, { memberId, role: 'member' }),
      (inviter: TestMember) => founder.client.post(`${ORGANIZATION}/remove-member`, { memberIdOrEmail: inviter.email }),
      (inviter: TestMember) => founder.client.post('/api/auth/admin/ban-user', { userId: inviter.id }),
      (inviter: TestMember) => founder.client.post('/api/auth/admin/remove-user', { userId: inviter.id }),
    ]
    for (const end of ends) {
      const inviter = await member(service(), founder, 'admin')
      const invited = await invite(service(), inviter)
      const invitee = await signUp(service(), invited)
      const { body: inviterMember } = await inviter.client.get(`${ORGANIZATION}/get-active-member`)
      assert.equal(await mayInviterInvite(founder, invited), true)
      assert.equal((await end(inviter, inviterMember.id)).status, 200)
      for (const answer of [
        await invitee.client.post(ACCEPT, { invitationId: invited.invitationId }),
        await invitee.client.get(`${ORGANIZATION}/get-invitation?id=${invited.invitationId}`),
      ]) {
        assert.deepEqual([answer.status, answer.body.code], [400, 'INVITER_NO_LONGER_ALLOWED'])
      }
      const opened = await service().client().get(invited.linkPath)
      assert.equal(opened.headers.get('location'), '/invitation?error=INVITER_NO_LONGER_ALLOWED')
      assert.equal((await memberIds(founder)).includes(invitee.id), false)
      assert.equal(await mayInviterInvite(founder, invited), false)
    }
  })

  test('list-user-invitations has the invitations that the user can accept, and no ended or expired one', async () => {
    const first = await administratorWithOrganization(service())
    const invited = await invite(service(), first)
    const { client, email } = await signUp(service(), invited)
    const [second, third, fourth] = [
      await administratorWithOrganization(service()),
      await administratorWithOrganization(service()),
      await administratorWithOrganization(service()),
    ]
    const admin = await member(service(), fourth, 'admin')
    const ids: string[] = []
    for (const inviter of [second, third, admin]) ids.push((await invite(service(), inviter, email)).invitationId)
    const [canceled = '', expired = ''] = ids
    const list = async () => {
      const { body } = await client.get(`${ORGANIZATION}/list-user-invitations`)
      return body.map(({ id }: { id: string }) => id)
    }
    assert.deepEqual((await list()).sort(), [invited.invitationId, ...ids].sort())
    assert.equal((await second.client.post(CANCEL, { invitationId: canceled })).status, 200)
    const { database, now } = service().context
    await database.updateTable('invitations').set({ expiresAt: now() }).where('id', '=', expired).execute()
    const removal = { memberIdOrEmail: admin.email }
    assert.equal((await fourth.client.post(`${ORGANIZATION}/remove-member`, removal)).status, 200)
    assert.deepEqual(await list(), [invited.invitationId])
  })

  test('An invitation of a removed inviter is accepted after an owner has sent it again', async () => {
    const founder = await administratorWithOrganization(service())
    const inviter = await member(service(), founder, 'admin')
    const invited = await invite(service(), inviter)
    const invitee = await signUp(service(), invited)
    await founder.client.post(`${ORGANIZATION}/remove-member`, { memberIdOrEmail: inviter.email })
    const again = { email: invited.email, role: 'member', organizationId: founder.organization.id, resend: true }
    assert.equal((await founder.client.post(`${ORGANIZATION}/invite-member`, again)).status, 200)
    assert.equal(await mayInviterInvite(founder, invited), true)
    assert.equal((await invitee.client.post(ACCEPT, { invitationId: invited.invitationId })).status, 200)
  })

  test('sign-up by password and by passkey refuses the invitation of a banned inviter until the ban expires', async () => {
    const founder = await administratorWithOrganization(service())
    const inviter = await member(service(), founder, 'admin')
    const [one, other] = [await invite(service(), inviter), await invite(service(), inviter)]
    const client = service().client()
    await client.get(one.linkPath)
    const options = await registerOptions(client, '?context=sign-up&name=Hilda%20Hire')
    const response = createAuthenticator(service().baseUrl).create(options)
    await founder.client.post('/api/auth/admin/ban-user', { userId: inviter.id, banExpiresIn: 600 })

    const byPassword = { name: 'Hilda', email: other.email, password: PASSWORD, invitation: other.linkPath.slice(8) }
    for (const answer of [
      await service().client().post('/api/auth/sign-up/email', byPassword),
      await client.post('/api/auth/passkey/verify-registration', { response }),
      await client.get('/api/auth/passkey/generate-register-options?context=sign-up&name=Hilda'),
      await client.get('/api/invitation'),
    ]) {
      assert.deepEqual([answer.status, answer.body.code], [400, 'INVITER_NO_LONGER_ALLOWED'])
    }
    service().advance(600_000)
    assert.equal((await service().client().post('/api/auth/sign-up/email', byPassword)).status, 200)
  })

  test('accept-invitation and sign-up wait for a concurrent ban of the inviter and are refused', async () => {
    const founder = await administratorWithOrganization(service())
    for (const use of ['accept', 'sign up'] as const) {
      const inviter = await member(service(), founder, 'admin')
      const invited = await invite(service(), inviter, newEmail(), 'admin')
      const banning: ConcurrentStep = {
        begin: (transaction) => lockUserForUpdate(transaction, inviter.id),
        finish: (transaction) =>
          transaction.updateTable('users').set({ banned: 1 }).where('id', '=', inviter.id).execute(),
      }
      const invitation = invited.linkPath.slice('/invite/'.length)
      const invitee = use === 'accept' ? await signUp(service(), invited) : undefined
      const answer = await concurrently(service(), banning, () =>
        invitee
          ? invitee.client.post(ACCEPT, { invitationId: invited.invitationId })
          : service()
              .client()
              .post('/api/auth/sign-up/email', { name: 'Hilda', email: invited.email, password: PASSWORD, invitation }),
      )
      assert.deepEqual([answer.status, answer.body.code], [400, 'INVITER_NO_LONGER_ALLOWED'], use)
    }
  })

  test('accept-invitation, reject-invitation and create are refused to a user who is concurrently banned or unverified', async () => {
    const invited = await invite(service(), await administratorWithOrganization(service()))
    const invitee = await signUp(service(), invited)
    const { invitationId } = invited
    const accept = () => invitee.client.post(ACCEPT, { invitationId })
    const reject = () => invitee.client.post(REJECT, { invitationId })
    const create = () => invitee.client.post(`${ORGANIZATION}/create`, { name: 'Works', slug: `w-${randomLetters()}` })
    const set = (database: Kysely<Tables>, change: { emailVerified?: 0 | 1; banned?: 0 | 1 }) =>
      database.updateTable('users').set(change).where('id', '=', invitee.id).execute()
    for (const [change, expected] of [
      [{ emailVerified: 0 }, [403, 'EMAIL_NOT_VERIFIED']],
      [{ banned: 1 }, [401, 'UNAUTHORIZED']],
    ] as const) {
      const changing: ConcurrentStep = {
        begin: (transaction) => lockUserForUpdate(transaction, invitee.id),
        finish: (transaction) => set(transaction, change),
      }
      for (const request of [accept, reject, create]) {
        await set(service().context.database, { emailVerified: 1, banned: 0 })
        const { status, body } = await concurrently(service(), changing, request)
        assert.deepEqual([status, body.code], expected)
      }
    }
  })

  test('An invitation passes to an owner when its inviter leaves, unless the inviter was demoted', async () => {
    const founder = await administratorWithOrganization(service())
    const organizationId = founder.organization.id
    for (const isDemoted of [false, true]) {
      const inviter = await member(service(), founder, 'admin')
      const invited = await invite(service(), inviter, newEmail(), 'admin')
      const invitee = await signUp(service(), invited)
      const { body: inviterMember } = await inviter.client.get(`${ORGANIZATION}/get-active-member`)
      if (isDemoted)
        await founder.client.post(`${ORGANIZATION}/update-member-role`, { memberId: inviterMember.id, role: 'member' })
      assert.equal((await inviter.client.post(`${ORGANIZATION}/leave`, { organizationId })).status, 200)
      const answer = await invitee.client.post(ACCEPT, { invitationId: invited.invitationId })
      if (isDemoted) assert.equal(answer.body.code, 'INVITER_NO_LONGER_ALLOWED')
      else assert.deepEqual([answer.body.invitation.inviterId, answer.body.member.role], [founder.id, 'admin'])
    }
  })

  test('A sign-up waits for a concurrent change of the inviter, and succeeds or asks to try again', async () => {
    const founder = await administratorWithOrganization(service())
    const inviter = await member(service(), founder, 'admin')
    const invited = await invite(service(), inviter, newEmail(), 'admin')
    const leaving: ConcurrentStep = {
      begin: (transaction) => lockUserForUpdate(transaction, inviter.id),
      finish: (transaction) =>
        updateInviter(
          transaction,
          service().context.now(),
          { ...inviter, organizationId: founder.organization.id, userId: inviter.id },
          ['admin'],
          founder.id,
        ),
    }
    const invitation = invited.linkPath.slice('/invite/'.length)
    const signUpOnce = () =>
      service()
        .client()
        .post('/api/auth/sign-up/email', { name: 'Hilda', email: invited.email, password: PASSWORD, invitation })
    const { status, headers } = await concurrently(service(), leaving, signUpOnce)
    // SQLite queues whole transactions, so the sign-up begins after the change.
    if (service().engine === 'sqlite') return assert.equal(status, 200)
    assert.deepEqual([status, headers.get('retry-after')], [503, '2'])
    assert.equal((await signUpOnce()).status, 200)
  })

  test('An invitation passes to the oldest owner who is not banned when its inviter leaves', async () => {
    const founder = await administratorWithOrganization(service())
    const [partner, inviter] = [await member(service(), founder, 'owner'), await member(service(), founder, 'admin')]
    const invited = await invite(service(), inviter)
    const invitee = await signUp(service(), invited)
    const { database } = service().context
    await database.updateTable('members').set({ createdAt: 1 }).where('userId', '=', partner.id).execute()
    await database.updateTable('users').set({ banned: 1 }).where('id', '=', partner.id).execute()
    await inviter.client.post(`${ORGANIZATION}/leave`, { organizationId: founder.organization.id })
    const answer = await invitee.client.post(ACCEPT, { invitationId: invited.invitationId })
    assert.deepEqual([answer.status, answer.body.invitation?.inviterId], [200, founder.id])
  })

  test('An invitation as owner is refused after its inviter became an admin, and after that admin has left', async () => {
    const founder = await administratorWithOrganization(service())
    const partner = await member(service(), founder, 'owner')
    const invited = await invite(service(), partner, newEmail(), 'owner')
    const invitee = await signUp(service(), invited)
    const { body: inviterMember } = await partner.client.get(`${ORGANIZATION}/get-active-member`)
    await founder.client.post(`${ORGANIZATION}/update-member-role`, { memberId: inviterMember.id, role: 'admin' })
    const accept = async () => (await invitee.client.post(ACCEPT, { invitationId: invited.invitationId })).body.code
    assert.equal(await accept(), 'INVITER_NO_LONGER_ALLOWED')
    const left = await partner.client.post(`${ORGANIZATION}/leave`, { organizationId: founder.organization.id })
    assert.equal(left.status, 200)
    assert.equal(await accept(), 'INVITER_NO_LONGER_ALLOWED')
  })

  test('CVE-2026-43913: an invited user has no permission in the organization before accept-invitation', async () => {
    const founder = await administratorWithOrganization(service())
    const invitee = await signUp(service(), await invite(service(), founder, newEmail(), 'owner'))
    const organizationId = founder.organization.id
    for (const [path, body] of [
      ['update', { data: { name: 'Mine' }, organizationId }],
      ['delete', { organizationId }],
      ['set-active', { organizationId }],
      ['invite-member', { email: newEmail(), role: 'member', organizationId }],
      ['remove-member', { memberIdOrEmail: founder.email, organizationId }],
      ['leave', { organizationId }],
    ] as const) {
      assert.equal((await invitee.client.post(`${ORGANIZATION}/${path}`, body)).status, 404, path)
    }
    assert.equal(
      (await invitee.client.get(`${ORGANIZATION}/list-members?organizationId=${organizationId}`)).status,
      404,
    )
    assert.equal((await invitee.client.get(`/api/token?org=${founder.organization.slug}`)).status, 404)
  })

  test('An invitation to another email address returns INVITATION_NOT_FOUND', async () => {
    const founder = await administratorWithOrganization(service())
    const invited = await invite(service(), founder)
    const other = await newMember(service())
    for (const path of [ACCEPT, REJECT]) {
      const answer = await other.client.post(path, { invitationId: invited.invitationId })
      assert.deepEqual([answer.status, answer.body.code], [404, 'INVITATION_NOT_FOUND'])
    }
  })
})
