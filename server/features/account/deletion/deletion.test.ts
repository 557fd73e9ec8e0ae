import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConcurrentStep, concurrently } from '../../../../test/support/concurrently.ts'
import { everyEmail } from '../../../../test/support/every-email.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  member,
  newEmail,
  newMember,
  newUser,
  PASSWORD,
  signUp,
  type TestUser,
  tokenIn,
} from '../../../../test/support/users.ts'
import { insertToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { lockUserForShare } from '../../../core/users/lock-user.ts'
import { hashToken, newToken } from '../../../platform/crypto/tokens.ts'

onEachDatabase('delete-user', (service) => {
  test('GHSA-2vg6-77g8-24mp, CVE-2025-29928: delete-user deletes all data but the audit log, and every credential is refused', async () => {
    const { client, token, id, email, organization } = await newMember(service())
    await service().client().post('/api/auth/request-password-reset', { email })
    const resetToken = await tokenIn(service(), email)
    await client.post('/api/auth/delete-user')
    const deleteToken = await tokenIn(service(), email)
    const answer = await client.post('/api/auth/delete-user', { password: PASSWORD })
    assert.deepEqual(answer.body, { success: true, message: 'User deleted' })
    assert.equal(client.cookies.get('session'), undefined)
    const bearer = { headers: { authorization: `Bearer ${token}` } }
    assert.equal((await service().client().get('/api/auth/get-session', bearer)).body, null)
    assert.equal((await service().client().get(`/api/token?org=${organization.slug}`, bearer)).status, 401)
    assert.equal((await service().client().post('/api/auth/sign-in/email', { email, password: PASSWORD })).status, 401)
    const reset = { newPassword: 'another fine long password', token: resetToken }
    assert.equal((await service().client().post('/api/auth/reset-password', reset)).body.code, 'INVALID_TOKEN')
    assert.equal(
      (await service().client().get(`/api/auth/delete-user/callback?token=${deleteToken}`)).body.code,
      'INVALID_TOKEN',
    )

    const { database } = service().context
    for (const table of ['sessions', 'accounts', 'members', 'singleUseTokens'] as const) {
      assert.deepEqual(await database.selectFrom(table).select('id').where('userId', '=', id).execute(), [], table)
    }
    const [message, ...others] = await service().emails(email)
    assert.equal(message?.subject, 'Your account was deleted')
    assert.deepEqual(others, [], 'unsent emails are deleted')
    const events = await database.selectFrom('auditEvents').select('action').where('subjectId', '=', id).execute()
    assert.ok(events.some(({ action }) => action === 'user.deleted'))
  })

  test('The emails about a deletion say neither that everything is deleted nor that only the audit log remains', () => {
    const texts = everyEmail.filter(({ kind }) => kind === 'user deleted').map(({ paragraphs }) => paragraphs.join(' '))
    assert.equal(texts.length, 2)
    for (const text of texts) assert.doesNotMatch(text, /everything|only/i)
  })

  test('delete-user leaves the waiting email of an invitation by another organization', async () => {
    const { client, email } = await newMember(service())
    await invite(service(), await administratorWithOrganization(service()), email)
    assert.equal((await client.post('/api/auth/delete-user', { password: PASSWORD })).status, 200)
    const subjects = (await service().emails(email)).map(({ subject }) => subject)
    assert.deepEqual(subjects.toSorted(), ['Invitation to Example Works', 'Your account was deleted'])
  })

  test('delete-user discards the waiting email to the new address of a pending email change', async () => {
    const { client } = await newMember(service())
    const address = newEmail()
    assert.equal((await client.post('/api/auth/change-email', { newEmail: address })).status, 200)
    assert.equal((await service().emails(address)).length, 1)
    assert.equal((await client.post('/api/auth/delete-user', { password: PASSWORD })).status, 200)
    assert.deepEqual(await service().emails(address), [])
  })

  test('A deletion deletes the waiting and failed emails to former addresses about changes of the address', async () => {
    const staff = await administrator(service())
    const { database, now } = service().context
    const changeTo = async ({ client }: TestUser, address: string) => {
      assert.equal((await client.post('/api/auth/change-email', { newEmail: address })).status, 200)
      const path = `/api/auth/verify-email?token=${await tokenIn(service(), address)}`
      assert.equal((await service().client().get(path)).status, 200)
    }
    const [first, second] = [await newMember(service()), await newMember(service())]
    const addresses = [first.email, newEmail(), newEmail(), newEmail()] as const
    await changeTo(first, addresses[1])
    await database.updateTable('outbox').set({ failedAt: now() }).where('recipient', '=', addresses[0]).execute()
    await changeTo(first, addresses[0])
    await changeTo(first, addresses[2])
    const update = { userId: first.id, data: { email: newEmail(), emailVerified: true } }
    assert.equal((await staff.client.post('/api/auth/admin/update-user', update)).status, 200)
    await changeTo(second, addresses[3])
    const token = await tokenIn(service(), second.email)
    assert.equal((await service().client().post('/api/undo-change-email', { token })).status, 200)

    for (const { id: userId } of [first, second])
      assert.equal((await staff.client.post('/api/auth/admin/remove-user', { userId })).status, 200)
    const outbox = database.selectFrom('outbox').select(['recipient', 'kind']).where('recipient', 'in', addresses)
    const left = (await outbox.execute()).filter(({ kind }) => kind.includes('email'))
    assert.deepEqual(left, [])
  })

  test('delete-user and remove-user tell each earlier address that can still undo a change, and none that is another account’s', async () => {
    const staff = await administrator(service())
    const change = async ({ client }: TestUser) => {
      const address = newEmail()
      assert.equal((await client.post('/api/auth/change-email', { newEmail: address })).status, 200)
      const path = `/api/auth/verify-email?token=${await tokenIn(service(), address)}`
      assert.equal((await service().client().get(path)).status, 200)
      return address
    }
    const countNotices = async (address: string) =>
      (await service().emails(address)).filter(({ subject }) => subject.startsWith('Your account was deleted')).length
    for (const isRemoved of [false, true]) {
      const testUser = await newMember(service())
      const second = await change(testUser)
      const { database } = service().context
      const links = database.updateTable('singleUseTokens').where('userId', '=', testUser.id)
      await links.set({ createdAt: 1, expiresAt: 2 }).execute()
      const [taken, third, fourth] = [await change(testUser), await change(testUser), await change(testUser)]
      await newUser(service(), { email: taken })
      const deleted = isRemoved
        ? await staff.client.post('/api/auth/admin/remove-user', { userId: testUser.id })
        : await testUser.client.post('/api/auth/delete-user', { password: PASSWORD })
      assert.equal(deleted.status, 200, JSON.stringify(deleted.body))
      const counts = await Promise.all([testUser.email, second, taken, third, fourth].map(countNotices))
      assert.deepEqual(counts, [0, 1, 0, 1, 1])
    }
  })

  test('delete-user keeps the records of sent emails, which staff list until they are purged', async () => {
    const { client, email } = await newMember(service())
    await service().client().post('/api/auth/request-password-reset', { email })
    const { database, now } = service().context
    const sent = { sentAt: now(), encryptedEmail: null }
    await database.updateTable('outbox').set(sent).where('recipient', '=', email).execute()
    assert.equal((await client.post('/api/auth/delete-user', { password: PASSWORD })).status, 200)
    const query = `recipient=${encodeURIComponent(email)}`
    const { body } = await (await administrator(service())).client.get(`/api/auth/admin/list-emails?${query}`)
    const kinds = body.emails.map(({ kind }: { kind: string }) => kind)
    assert.ok(kinds.includes('reset password'), kinds.join())
  })

  test('delete-user records every deleted organization and every membership that ends', async () => {
    const { client, id, organization } = await newMember(service())
    const slug = `own-${id.slice(-12)}`
    const { body: own } = await client.post('/api/auth/organization/create', { name: 'Own Works', slug })
    await client.post('/api/auth/api-key/create', { name: 'own', organizationId: own.id })
    await client.post('/api/auth/delete-user', { password: PASSWORD })
    const events = await service()
      .context.database.selectFrom('auditEvents')
      .select(['action', 'actorId', 'subjectId', 'organizationId', 'details'])
      .where('organizationId', 'in', [own.id, organization.id])
      .where('action', 'in', ['organization.deleted', 'member.left'])
      .orderBy('action')
      .execute()
    const counts = { memberCount: 1, invitationCount: 0, apiKeyCount: 1, oauthClientCount: 0 }
    assert.deepEqual(
      events.map(({ details, ...event }) => ({ ...event, details: JSON.parse(details) })),
      [
        {
          action: 'member.left',
          actorId: id,
          subjectId: id,
          organizationId: organization.id,
          details: { role: 'member', passedInvitations: 0 },
        },
        {
          action: 'organization.deleted',
          actorId: id,
          subjectId: null,
          organizationId: own.id,
          details: { slug, ...counts },
        },
      ],
    )
  })

  test('delete-user passes the open invitations of the user to an owner, and remove-user of staff does not', async () => {
    const staff = await administratorWithOrganization(service())
    for (const isRemoved of [false, true]) {
      const founder = await administratorWithOrganization(service())
      const admin = await member(service(), founder, 'admin')
      const invited = await invite(service(), admin)
      const deleted = isRemoved
        ? await staff.client.post('/api/auth/admin/remove-user', { userId: admin.id })
        : await admin.client.post('/api/auth/delete-user', { password: PASSWORD })
      assert.equal(deleted.status, 200, JSON.stringify(deleted.body))
      const opened = await service().client().get(invited.linkPath)
      const expected = isRemoved ? '/invitation?error=INVITER_NO_LONGER_ALLOWED' : '/sign-up'
      assert.equal(opened.headers.get('location'), expected)
      const list = `/api/auth/organization/list-invitations?organizationId=${founder.organization.id}`
      const { invitations } = (await founder.client.get(list)).body
      const [{ inviterId }] = invitations.filter(({ id }: { id: string }) => id === invited.invitationId)
      assert.equal(inviterId, isRemoved ? admin.id : founder.id)
    }
  })

  test('delete-user/callback deletes the user of the token once, in any browser', async () => {
    const { client, email, token } = await newMember(service())
    const asked = await client.post('/api/auth/delete-user')
    assert.deepEqual(asked.body, { success: true, message: 'Verification email sent' })
    const deleteToken = await tokenIn(service(), email)
    const followed = await service()
      .client()
      .get(`/api/auth/delete-user/callback?token=${deleteToken}&callbackURL=/sign-in`)
    assert.deepEqual([followed.status, followed.headers.get('location')], [302, `${service().baseUrl}/sign-in`])
    const bearer = { headers: { authorization: `Bearer ${token}` } }
    assert.equal((await service().client().get('/api/auth/get-session', bearer)).body, null)
    const again = await service().client().get(`/api/auth/delete-user/callback?token=${deleteToken}`)
    assert.deepEqual([again.status, again.body.code], [400, 'INVALID_TOKEN'])
    assert.equal((await service().client().get('/api/auth/delete-user/callback')).body.code, 'INVALID_TOKEN')
  })

  test('delete-user revokes the link of a concurrent request', async () => {
    const { id, client, token } = await newMember(service())
    const { context } = service()
    const sessions = context.database.selectFrom('sessions').select('id').where('tokenHash', '=', hashToken(token))
    const { id: sessionId } = await sessions.executeTakeFirstOrThrow()
    const earlier = newToken(context)
    const asking: ConcurrentStep = {
      async begin(transaction) {
        await lockUserForShare(transaction, id)
        await insertToken(transaction, context, 'delete user', earlier, { userId: id, sessionId, data: {} })
      },
    }
    await concurrently(service(), asking, () => client.post('/api/auth/delete-user'))
    const refused = await service().client().get(`/api/auth/delete-user/callback?token=${earlier}`)
    assert.deepEqual([refused.status, refused.body.code], [400, 'INVALID_TOKEN'])
    const links = context.database.selectFrom('singleUseTokens').select('purpose').where('userId', '=', id)
    assert.equal((await links.execute()).length, 1)
  })

  test('delete-user revokes the link of an earlier request', async () => {
    const { client, id, email } = await newMember(service())
    const ask = () => client.post('/api/auth/delete-user')
    assert.equal((await ask()).status, 200)
    const earlier = await tokenIn(service(), email)
    assert.equal((await ask()).status, 200)
    const refused = await service().client().get(`/api/auth/delete-user/callback?token=${earlier}`)
    assert.deepEqual([refused.status, refused.body.code], [400, 'INVALID_TOKEN'])
    const links = service().context.database.selectFrom('singleUseTokens').select('purpose').where('userId', '=', id)
    assert.equal((await links.execute()).length, 1)
  })

  test('delete-user with the token of another user deletes that user, and the caller stays signed in', async () => {
    const [caller, other] = [await newMember(service()), await newMember(service())]
    await other.client.post('/api/auth/delete-user')
    const deletion = await caller.client.post('/api/auth/delete-user', { token: await tokenIn(service(), other.email) })
    assert.equal(deletion.status, 200)
    assert.equal((await other.client.get('/api/auth/get-session')).body, null)
    assert.equal((await caller.client.get('/api/auth/get-session')).body.user.id, caller.id)
  })

  test('delete-user/callback returns the callback URL of the request, which the email does not have', async () => {
    const { client, email } = await newMember(service())
    const callbackURL = '/sign-in?you-have-won=call-08005551212'
    assert.equal((await client.post('/api/auth/delete-user', { callbackURL })).status, 200)
    const [message] = await service().emails(email)
    assert.doesNotMatch(`${message?.text}${message?.html}`, /have-won|call-0800/)
    const path = `/api/auth/delete-user/callback?token=${await tokenIn(service(), email)}`
    const { status, body } = await service().client().get(path)
    assert.deepEqual([status, body], [200, { success: true, message: 'User deleted', callbackURL }])
    const evil = await (await newMember(service())).client.post('/api/auth/delete-user', {
      callbackURL: '//evil.example',
    })
    assert.deepEqual([evil.status, evil.body.code], [400, 'INVALID_CALLBACK_URL'])
  })

  test('delete-user refuses a wrong password, a wrong token and a session that is not fresh', async () => {
    const { client, email } = await newMember(service())
    const wrong = await client.post('/api/auth/delete-user', { password: 'wrong' })
    assert.deepEqual([wrong.status, wrong.body.code], [400, 'INVALID_PASSWORD'])
    const foreign = await client.post('/api/auth/delete-user', { token: 'A'.repeat(43) })
    assert.deepEqual([foreign.status, foreign.body.code], [400, 'INVALID_TOKEN'])
    service().advance(15 * 60_000)
    const stale = await client.post('/api/auth/delete-user')
    assert.deepEqual([stale.status, stale.body.code], [403, 'SESSION_NOT_FRESH'])
    assert.equal((await service().client().post('/api/auth/sign-in/email', { email, password: PASSWORD })).status, 200)
  })

  test('delete-user refuses the only owner of an organization with other members', async () => {
    const boss = await administratorWithOrganization(service())
    const colleague = await member(service(), boss, 'owner')
    const mine = await colleague.client.post('/api/auth/organization/create', {
      name: 'Just Me',
      slug: `just-me-${Date.now()}-${service().engine}`,
    })
    const invited = await invite(service(), { ...colleague, organization: mine.body }, newEmail())
    const hire = await signUp(service(), invited)
    await hire.client.post('/api/auth/organization/accept-invitation', { invitationId: invited.invitationId })
    const refused = await colleague.client.post('/api/auth/delete-user', { password: PASSWORD })
    assert.deepEqual([refused.status, refused.body.code], [400, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER'])
    assert.match(refused.body.message, /^Just Me has other members and no other owner\. Make another member an owner/)
    assert.equal((await hire.client.post('/api/auth/delete-user', { password: PASSWORD })).status, 200)
    assert.equal((await colleague.client.post('/api/auth/delete-user', { password: PASSWORD })).status, 200)
    const left = await service()
      .context.database.selectFrom('organizations')
      .select('id')
      .where('id', 'in', [mine.body.id, boss.organization.id])
      .execute()
    assert.deepEqual(
      left.map(({ id }) => id),
      [boss.organization.id],
      'an organization without another member is deleted too',
    )
  })

  test('delete-user refuses an owner beside whom every other owner is banned', async () => {
    const { client: staff } = await administrator(service())
    const boss = await administratorWithOrganization(service())
    const leaver = await member(service(), boss, 'owner')
    const banned = await member(service(), boss, 'owner')
    await boss.client.post('/api/auth/organization/leave', { organizationId: boss.organization.id })
    assert.equal((await staff.post('/api/auth/admin/ban-user', { userId: banned.id })).status, 200)
    const refused = await leaver.client.post('/api/auth/delete-user', { password: PASSWORD })
    assert.deepEqual([refused.status, refused.body.code], [400, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER'])
  })

  test('delete-user refuses the last administrator', async () => {
    const { client } = await administrator(service())
    const answer = await client.post('/api/auth/delete-user', { password: PASSWORD })
    assert.deepEqual([answer.status, answer.body.code], [400, 'LAST_ADMINISTRATOR'])
  })

  test('delete-user refuses an administrator beside whom no other one has a verified email address', async () => {
    const { client } = await administrator(service())
    const { id } = await newMember(service())
    const { database } = service().context
    const other = database.updateTable('users').where('id', '=', id)
    await other.set({ role: 'admin', emailVerified: 0 }).execute()
    const { obstacles } = (await client.get('/api/auth/delete-user/preview')).body
    assert.ok(obstacles.some(({ reason }: { reason: string }) => reason === 'LAST_ADMINISTRATOR'))
    const answer = await client.post('/api/auth/delete-user', { password: PASSWORD })
    assert.deepEqual([answer.status, answer.body.code], [400, 'LAST_ADMINISTRATOR'])
    await other.set({ role: 'user' }).execute()
  })

  test('delete-user refuses one of two owners who delete their accounts concurrently', async () => {
    const boss = await administratorWithOrganization(service())
    const one = await member(service(), boss, 'owner')
    const organization = await one.client.post('/api/auth/organization/create', {
      name: 'Shared',
      slug: `shared-${Date.now()}-${service().engine}`,
    })
    const shared = { ...one, organization: organization.body }
    const two = await member(service(), shared, 'owner')
    await member(service(), shared)
    const answers = await Promise.all(
      [one, two].map(({ client }) => client.post('/api/auth/delete-user', { password: PASSWORD })),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    const owners = await service()
      .context.database.selectFrom('members')
      .select('id')
      .where('organizationId', '=', organization.body.id)
      .where('role', '=', 'owner')
      .execute()
    assert.equal(owners.length, 1)
  })
})
