import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuthenticator } from '../../../../test/support/authenticator.ts'
import { asking, besideService } from '../../../../test/support/beside.ts'
import { type ConcurrentStep, concurrently } from '../../../../test/support/concurrently.ts'
import { registerOptions } from '../../../../test/support/passkeys.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import {
  invite,
  member,
  newEmail,
  type Owner,
  owner,
  PASSWORD,
  signedIn,
  signUp,
} from '../../../../test/support/users.ts'
import { lockUserForUpdate } from '../../../core/users/lock-user.ts'

const ORGANIZATION = '/api/auth/organization'
const ACCEPT = `${ORGANIZATION}/accept-invitation`
const REJECT = `${ORGANIZATION}/reject-invitation`
const CANCEL = `${ORGANIZATION}/cancel-invitation`

onEachDatabase('Accepting an invitation', (service) => {
  const beside = besideService(service)

  async function memberIds({ organization: { id } }: Owner): Promise<string[]> {
    const { database } = service().context
    const members = await database.selectFrom('members').select('userId').where('organizationId', '=', id).execute()
    return members.map(({ userId }) => userId)
  }
  const memberCount = async (founder: Owner) => (await memberIds(founder)).length

  test('Better Auth #9993: twenty times at once, through two processes, makes one member', async () => {
    const founder = await owner(service())
    const { invitationId, ...invited } = await invite(service(), founder)
    const hire = await signUp(service(), { invitationId, ...invited })
    const second = await beside()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        asking(index % 2 ? second : service(), hire).post(ACCEPT, { invitationId }),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const { status, body } of answers) {
      if (status !== 200) assert.deepEqual([status, body.code], [400, 'INVITATION_ALREADY_USED'])
    }
    assert.equal(await memberCount(founder), 2)
  })

  test('while it is declined and withdrawn lets one of the three win', async () => {
    for (let round = 0; round < 5; round += 1) {
      const founder = await owner(service())
      const invited = await invite(service(), founder)
      const hire = await signUp(service(), invited)
      const second = await beside()
      const body = { invitationId: invited.invitationId }
      const answers = await Promise.all([
        asking(service(), hire).post(ACCEPT, body),
        asking(second, hire).post(REJECT, body),
        asking(second, founder).post(CANCEL, body),
      ])
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      assert.equal(await memberCount(founder), answers[0]?.status === 200 ? 2 : 1)
    }
  })

  test('CVE-2026-53514: needs a proven address, as seeing, listing and declining it do', async () => {
    const founder = await owner(service())
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

  test('CVE-2026-1529, CVE-2022-23555: a reference that was tampered with, or put together, opens nothing', async () => {
    const founder = await owner(service())
    const other = await owner(service())
    const one = await invite(service(), founder)
    const two = await invite(service(), other)
    const [id = '', secret = ''] = (one.linkPath.split('/').at(-1) ?? '').split('.')
    const [otherId = '', otherSecret = ''] = (two.linkPath.split('/').at(-1) ?? '').split('.')
    const flipped = `${secret.slice(0, -2)}${secret.endsWith('AA') ? 'BB' : 'AA'}`
    const crooked = [
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
    for (const reference of crooked) {
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

  test('CVE-2025-64708: is refused once its time is over, although no cleaner ran', async () => {
    const founder = await owner(service())
    const invited = await invite(service(), founder)
    await signUp(service(), invited)
    service().advance(7 * 86_400_000)
    const { client } = await signedIn(service(), invited.email)
    const answer = await client.post(ACCEPT, { invitationId: invited.invitationId })
    assert.deepEqual([answer.status, answer.body.code], [400, 'INVITATION_EXPIRED'])
    assert.deepEqual((await client.get(`${ORGANIZATION}/list-user-invitations`)).body, [])
    assert.equal(await memberCount(founder), 1)
  })

  test('is refused when its inviter was demoted, removed or banned, or is deleted, and grants nothing', async () => {
    const founder = await owner(service())
    const ends = [
      (_: Owner, memberId: string) =>
        founder.client.post(`${ORGANIZATION}/update-member-role`, { memberId, role: 'member' }),
      (inviter: Owner) => founder.client.post(`${ORGANIZATION}/remove-member`, { memberIdOrEmail: inviter.email }),
      (inviter: Owner) => founder.client.post('/api/auth/admin/ban-user', { userId: inviter.id }),
      (inviter: Owner) => founder.client.post('/api/auth/admin/remove-user', { userId: inviter.id }),
    ]
    for (const end of ends) {
      const inviter = await member(service(), founder, 'admin')
      const invited = await invite(service(), inviter)
      const hire = await signUp(service(), invited)
      const { body: place } = await inviter.client.get(`${ORGANIZATION}/get-active-member`)
      assert.equal((await end(inviter, place.id)).status, 200)
      for (const answer of [
        await hire.client.post(ACCEPT, { invitationId: invited.invitationId }),
        await hire.client.get(`${ORGANIZATION}/get-invitation?id=${invited.invitationId}`),
      ]) {
        assert.deepEqual([answer.status, answer.body.code], [400, 'INVITER_NO_LONGER_ALLOWED'])
      }
      const opened = await service().client().get(invited.linkPath)
      assert.equal(opened.headers.get('location'), '/invitation?error=INVITER_NO_LONGER_ALLOWED')
      assert.equal((await memberIds(founder)).includes(hire.id), false)
    }
  })

  test('of a banned inviter is refused at sign-up, by password and by passkey, until the ban is over', async () => {
    const founder = await owner(service())
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

  test('waits for a ban of the inviter that is under way, and then grants nothing', async () => {
    const founder = await owner(service())
    for (const use of ['accept', 'sign up'] as const) {
      const inviter = await member(service(), founder, 'admin')
      const invited = await invite(service(), inviter, newEmail(), 'admin')
      const banning: ConcurrentStep = {
        begin: (transaction) => lockUserForUpdate(transaction, inviter.id),
        finish: (transaction) =>
          transaction.updateTable('users').set({ banned: 1 }).where('id', '=', inviter.id).execute(),
      }
      const invitation = invited.linkPath.slice('/invite/'.length)
      const hire = use === 'accept' ? await signUp(service(), invited) : undefined
      const answer = await concurrently(service(), banning, () =>
        hire
          ? hire.client.post(ACCEPT, { invitationId: invited.invitationId })
          : service()
              .client()
              .post('/api/auth/sign-up/email', { name: 'Hilda', email: invited.email, password: PASSWORD, invitation }),
      )
      assert.deepEqual([answer.status, answer.body.code], [400, 'INVITER_NO_LONGER_ALLOWED'], use)
    }
  })

  test('passes to an owner when its inviter leaves, unless the inviter could no longer send it', async () => {
    const founder = await owner(service())
    const organizationId = founder.organization.id
    for (const isDemoted of [false, true]) {
      const inviter = await member(service(), founder, 'admin')
      const invited = await invite(service(), inviter, newEmail(), 'admin')
      const hire = await signUp(service(), invited)
      const { body: place } = await inviter.client.get(`${ORGANIZATION}/get-active-member`)
      if (isDemoted)
        await founder.client.post(`${ORGANIZATION}/update-member-role`, { memberId: place.id, role: 'member' })
      assert.equal((await inviter.client.post(`${ORGANIZATION}/leave`, { organizationId })).status, 200)
      const answer = await hire.client.post(ACCEPT, { invitationId: invited.invitationId })
      if (isDemoted) assert.equal(answer.body.code, 'INVITER_NO_LONGER_ALLOWED')
      else assert.deepEqual([answer.body.invitation.inviterId, answer.body.member.role], [founder.id, 'admin'])
    }
  })

  test("an owner's is refused when they are an admin by now, who makes no owners", async () => {
    const founder = await owner(service())
    const partner = await member(service(), founder, 'owner')
    const invited = await invite(service(), partner, newEmail(), 'owner')
    const hire = await signUp(service(), invited)
    const { body: place } = await partner.client.get(`${ORGANIZATION}/get-active-member`)
    await founder.client.post(`${ORGANIZATION}/update-member-role`, { memberId: place.id, role: 'admin' })
    const answer = await hire.client.post(ACCEPT, { invitationId: invited.invitationId })
    assert.equal(answer.body.code, 'INVITER_NO_LONGER_ALLOWED')
  })

  test('CVE-2026-43913: until then the invited person, even a future owner, can do nothing there', async () => {
    const founder = await owner(service())
    const hire = await signUp(service(), await invite(service(), founder, newEmail(), 'owner'))
    const organizationId = founder.organization.id
    for (const [path, body] of [
      ['update', { data: { name: 'Mine' }, organizationId }],
      ['delete', { organizationId }],
      ['set-active', { organizationId }],
      ['invite-member', { email: newEmail(), role: 'member', organizationId }],
      ['remove-member', { memberIdOrEmail: founder.email, organizationId }],
      ['leave', { organizationId }],
    ] as const) {
      assert.equal((await hire.client.post(`${ORGANIZATION}/${path}`, body)).status, 404, path)
    }
    assert.equal((await hire.client.get(`${ORGANIZATION}/list-members?organizationId=${organizationId}`)).status, 404)
    assert.equal((await hire.client.get(`/api/token?org=${founder.organization.slug}`)).status, 404)
  })

  test('of another address is as if there were none', async () => {
    const founder = await owner(service())
    const invited = await invite(service(), founder)
    const other = await member(service(), await owner(service()))
    for (const path of [ACCEPT, REJECT]) {
      const answer = await other.client.post(path, { invitationId: invited.invitationId })
      assert.deepEqual([answer.status, answer.body.code], [404, 'INVITATION_NOT_FOUND'])
    }
  })
})
