import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beforeTransactions } from '../../../../test/support/concurrently.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { administer, userWithRole } from '../../../../test/support/staff.ts'
import { enableTotp } from '../../../../test/support/two-step.ts'
import {
  administrator,
  administratorWithOrganization,
  member,
  newEmail,
  PASSWORD,
  signedIn,
  tokenIn,
} from '../../../../test/support/users.ts'
import { whenServed } from '../../../../test/support/when-served.ts'
import { createToken } from '../../../core/single-use-tokens/single-use-tokens.ts'

onEachDatabase('Managing users', (service) => {
  test('create-user without a password sends a link to choose one, which verifies the email address', async () => {
    const admin = await administrator(service())
    const email = newEmail()
    const { body } = await administer(admin, 'create-user', { email: ` ${email.toUpperCase()} `, name: 'Nia New' })
    assert.equal(body.user.email, email)
    assert.equal(body.user.role, 'user')
    assert.equal(body.user.emailVerified, false)
    const token = await tokenIn(service(), email)
    const reset = await service().client().post('/api/auth/reset-password', { token, newPassword: PASSWORD })
    assert.equal(reset.status, 200)
    const { client } = await signedIn(service(), email)
    assert.equal((await client.get('/api/auth/get-session')).body.user.emailVerified, true)
  })

  test('create-user accepts an email address once and names the invalid field', async () => {
    const admin = await administrator(service())
    const email = newEmail()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        whenServed(() => admin.client.post('/api/auth/admin/create-user', { email, name: 'N', password: PASSWORD })),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.ok(
      answers.every(({ status, body }) => status === 200 || body.code === 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL'),
    )
    const fine = { email: newEmail(), name: 'N', password: PASSWORD }
    for (const [wrong, field] of [
      [{ email: 'x' }, 'email'],
      [{ email: 'ａ@example.com' }, 'email'],
      [{ name: '' }, 'name'],
      [{ name: 'a\u0000' }, 'name'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ password: 'short' }, 'password'],
      [{ data: { role: 'admin' } }, 'data.role'],
      [{ data: { ROLE: 'admin' } }, 'data.ROLE'],
      [{ data: { name: 'Other' } }, 'data.name'],
      [{ data: { toString: 1 } }, 'data.toString'],
      [{ data: { emailVerified: 'yes' } }, 'data.emailVerified'],
      [{ id: 'usr_1' }, 'id'],
    ] as const) {
      const answer = await admin.client.post('/api/auth/admin/create-user', { ...fine, ...wrong })
      assert.equal(answer.status, 400, JSON.stringify(wrong))
      assert.equal(answer.body.field, field, JSON.stringify(wrong))
    }
  })

  test('CVE-2026-40172: update-user refuses role, ban, password and id and names the right route', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const before = (await admin.client.get(`/api/auth/admin/get-user?id=${user.id}`)).body
    for (const data of [
      { role: 'admin' },
      { banned: true },
      { banReason: 'x' },
      { banExpires: null },
      { password: PASSWORD },
      { id: 'usr_1' },
      { createdAt: '2020-01-01' },
      { twoFactorEnabled: true },
      { Role: 'admin' },
      { emailverified: true },
      { constructor: 1 },
      { hasOwnProperty: 1 },
      { name: '' },
      { name: 1 },
      { image: 'no url' },
      { email: 'x' },
      { emailVerified: 1 },
    ]) {
      const answer = await admin.client.post('/api/auth/admin/update-user', {
        userId: user.id,
        data: { ...('name' in data ? {} : { name: 'Changed' }), ...data },
      })
      assert.equal(answer.status, 400, JSON.stringify(data))
      assert.equal(answer.body.field, `data.${Object.keys(data)[0]}`, JSON.stringify(answer.body))
    }
    const role = await admin.client.post('/api/auth/admin/update-user', { userId: user.id, data: { role: 'admin' } })
    assert.match(role.body.message, /set-role/)
    assert.equal(
      (await admin.client.post('/api/auth/admin/update-user', { userId: user.id, data: {} })).body.code,
      'NO_DATA_TO_UPDATE',
    )
    assert.deepEqual((await admin.client.get(`/api/auth/admin/get-user?id=${user.id}`)).body, before)
  })

  test('update-user with a new email address revokes sessions and links, unverifies it and notifies the old one', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    await service().client().post('/api/auth/request-password-reset', { email: user.email })
    const planted = await tokenIn(service(), user.email)
    const email = newEmail()
    const data = { email, name: 'Nia New', image: 'https://example.com/n.png' }
    const { body } = await administer(admin, 'update-user', { userId: user.id, data })
    assert.equal(body.user.email, email)
    assert.equal(body.user.emailVerified, false)
    assert.equal(body.user.image, data.image)
    assert.equal((await user.client.get('/api/auth/get-session')).body, null)
    const reset = await service().client().post('/api/auth/reset-password', { token: planted, newPassword: PASSWORD })
    assert.equal(reset.body.code, 'INVALID_TOKEN')
    const [message] = await service().emails(user.email)
    assert.match(message?.subject ?? '', /address of your account was changed/)
    const verified = await administer(admin, 'update-user', {
      userId: user.id,
      data: { emailVerified: true, image: null },
    })
    assert.equal(verified.body.user.emailVerified, true)
    assert.equal(verified.body.user.image, null)
    const taken = await admin.client.post('/api/auth/admin/update-user', {
      userId: user.id,
      data: { email: admin.email },
    })
    assert.equal(taken.body.code, 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL')
  })

  test('update-user tells an unverified old address neither the new address nor that the account is its own', async () => {
    const admin = await administrator(service())
    for (const emailVerified of [false, true]) {
      const user = await userWithRole(service(), admin)
      await administer(admin, 'update-user', { userId: user.id, data: { emailVerified: false } })
      const email = newEmail()
      const changed = await administer(admin, 'update-user', { userId: user.id, data: { email, emailVerified } })
      assert.equal(changed.status, 200)
      const [message] = await service().emails(user.email)
      assert.equal(message?.subject, 'Your email address is no longer in use')
      assert.doesNotMatch(`${message?.text} ${message?.html}`, /your account/i)
      assert.ok(!`${message?.text} ${message?.html}`.includes(email))
    }
  })

  test('update-user shows no new address to an old address whose verification ends concurrently', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const email = newEmail()
    const { database } = service().context
    const unverify = () => database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', user.id).execute()
    const changed = await beforeTransactions(service(), '/api/auth/admin/update-user', unverify, () =>
      administer(admin, 'update-user', { userId: user.id, data: { email } }),
    )
    assert.equal(changed.status, 200)
    const [message] = await service().emails(user.email)
    assert.equal(message?.subject, 'Your email address is no longer in use')
    assert.ok(!`${message?.text} ${message?.html}`.includes(email))
  })

  test('update-user ends no two-step verification by an unverified address, whose mailbox alone would open the account', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const { codeAt } = await enableTotp(service(), user)
    const email = newEmail()
    const update = (data: object) => admin.client.post('/api/auth/admin/update-user', { userId: user.id, data })
    for (const data of [{ email }, { email, emailVerified: false }, { emailVerified: false }]) {
      const { status, body } = await update(data)
      assert.deepEqual([status, body.code, body.field], [400, 'USER_HAS_TWO_FACTOR', 'data.emailVerified'])
    }
    assert.equal((await update({ email, emailVerified: true })).status, 200)
    const stranger = service().client()
    await stranger.post('/api/auth/request-password-reset', { email })
    const newPassword = 'another horse battery'
    await stranger.post('/api/auth/reset-password', { token: await tokenIn(service(), email), newPassword })
    const answer = await stranger.post('/api/auth/sign-in/email', { email, password: newPassword })
    assert.equal(answer.body.twoFactorRedirect, true)
    const code = codeAt(service().context.now())
    assert.equal((await stranger.post('/api/auth/two-factor/verify-totp', { code })).status, 200)
  })

  test('update-user and create-user record whether staff set an email address to verified', async () => {
    const admin = await administrator(service())
    const { id: userId } = await userWithRole(service(), admin)
    for (const data of [{ emailVerified: false }, { emailVerified: true }, { name: 'Other' }, { email: newEmail() }])
      assert.equal((await administer(admin, 'update-user', { userId, data })).status, 200)
    const { events } = (await admin.client.get(`/api/auth/admin/list-audit-events?subjectId=${userId}`)).body
    const recorded = events
      .filter(({ action }: { action: string }) => ['user.created', 'user.updated', 'email.changed'].includes(action))
      .map(({ action, details }: { action: string; details: object }) => [
        action,
        'emailVerified' in details ? details.emailVerified : '-',
      ])
    assert.deepEqual(recorded.toSorted(), [
      ['email.changed', false],
      ['user.created', true],
      ['user.updated', '-'],
      ['user.updated', false],
      ['user.updated', false],
      ['user.updated', true],
    ])
  })

  test('set-user-password, and set-role to a role of staff, revoke the link that undoes a change of the email address', async () => {
    const admin = await administrator(service())
    const { context } = service()
    for (const [path, change] of [
      ['set-user-password', { newPassword: 'another correct horse battery' }],
      ['set-role', { role: 'support' }],
    ] as const) {
      const { id: userId } = await userWithRole(service(), admin)
      const data = { oldEmail: 'old@example.com' }
      const token = await createToken(context.database, context, 'undo email change', { userId, data })
      assert.equal((await administer(admin, path, { userId, ...change })).status, 200)
      const undone = await service().client().post('/api/undo-change-email', { token })
      assert.deepEqual([undone.status, undone.body.code], [400, 'INVALID_TOKEN'], path)
    }
  })

  test('A link that undoes a change works again after a ban, unless set-user-password or update-user has revoked it', async () => {
    const admin = await administrator(service())
    const { context } = service()
    const undoAfterBan = async (change?: [path: string, change: object]) => {
      const { id: userId } = await userWithRole(service(), admin)
      const data = { oldEmail: newEmail() }
      const token = await createToken(context.database, context, 'undo email change', { userId, data })
      assert.equal((await administer(admin, 'ban-user', { userId })).status, 200)
      if (change) assert.equal((await administer(admin, change[0], { userId, ...change[1] })).status, 200, change[0])
      assert.equal((await administer(admin, 'unban-user', { userId })).status, 200)
      return (await service().client().post('/api/undo-change-email', { token })).status
    }
    assert.equal(await undoAfterBan(), 200)
    assert.equal(await undoAfterBan(['set-user-password', { newPassword: 'another correct horse battery' }]), 400)
    assert.equal(await undoAfterBan(['update-user', { data: { email: newEmail(), emailVerified: true } }]), 400)
  })

  test('set-user-password revokes the sessions and links of the user and notifies the user', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const newPassword = 'another fine password'
    await service().client().post('/api/auth/request-password-reset', { email: user.email })
    const token = await tokenIn(service(), user.email)
    assert.deepEqual((await administer(admin, 'set-user-password', { userId: user.id, newPassword })).body, {
      status: true,
    })
    assert.equal((await user.client.get('/api/auth/get-session')).body, null)
    const reset = await service().client().post('/api/auth/reset-password', { token, newPassword: PASSWORD })
    assert.deepEqual([reset.status, reset.body.code], [400, 'INVALID_TOKEN'])
    const [message] = await service().emails(user.email)
    assert.match(message?.subject ?? '', /password was set/)
    await signedIn(service(), user.email, newPassword)
    for (const wrong of ['short', 'password', 'x'.repeat(129), '']) {
      const answer = await admin.client.post('/api/auth/admin/set-user-password', {
        userId: user.id,
        newPassword: wrong,
      })
      assert.equal(answer.body.field, 'newPassword', wrong.slice(0, 9))
    }
  })

  test('GHSA-2vg6-77g8-24mp: remove-user takes effect with the next request and refuses the only owner of a shared organization', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    await administer(admin, 'remove-user', { userId: user.id })
    assert.equal((await user.client.get('/api/auth/get-session')).body, null)
    assert.equal((await admin.client.get(`/api/auth/admin/get-user?id=${user.id}`)).status, 404)
    const onlyOwner = await administratorWithOrganization(service())
    await member(service(), onlyOwner)
    const other = await userWithRole(service(), admin, 'admin')
    const answer = await other.client.post('/api/auth/admin/remove-user', { userId: onlyOwner.id })
    assert.equal(answer.body.code, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
    assert.match(answer.body.message, / has other members and no other owner\. .* invite another owner/)
    assert.doesNotMatch(answer.body.message, /delete the organization/)
  })

  test('The email about remove-user names an administrator, and neither their network nor their device', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0' }
    const removed = await admin.client.post('/api/auth/admin/remove-user', { userId: user.id }, { headers })
    assert.equal(removed.status, 200)
    const [notice] = await service().emails(user.email)
    assert.equal(notice?.subject, 'Your account was deleted by an administrator')
    assert.doesNotMatch(notice?.text ?? '', /network address|Firefox/)
  })
})
