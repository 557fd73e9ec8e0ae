import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beforeTransactions } from '../../../../test/support/concurrently.ts'
import { insertTestClient } from '../../../../test/support/oauth-clients.ts'
import { insertTestPasskeys } from '../../../../test/support/passkeys.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { appOfUri, enableTotp } from '../../../../test/support/two-step.ts'
import {
  administrator,
  newEmail,
  newMember,
  PASSWORD,
  signedIn,
  type TestUser,
  tokenIn,
} from '../../../../test/support/users.ts'
import { OPERATOR } from '../../../core/audit/actor.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { findConsent, saveConsent } from '../../../core/oauth-consents/store.ts'
import { createToken } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { formatTime } from '../../../platform/time/format-time.ts'

const HOUR = 3_600_000
const NEW_PASSWORD = 'another fine long password'

onEachDatabase('email', (service) => {
  const verify = (token: string, client = service().client()) => client.get(`/api/auth/verify-email?token=${token}`)
  const undo = (token: string) => service().client().post('/api/undo-change-email', { token })
  const isOpen = async ({ token }: { token: string }) =>
    (
      await service()
        .client()
        .get('/api/auth/get-session', { headers: { authorization: `Bearer ${token}` } })
    ).body !== null
  const signIn = (email: string, password = PASSWORD) =>
    service().client().post('/api/auth/sign-in/email', { email, password })

  const unverify = (userId: string) =>
    service().context.database.updateTable('users').set({ emailVerified: 0 }).where('id', '=', userId).execute()
  const unverified = async () => {
    const testUser = await newMember(service())
    await unverify(testUser.id)
    return testUser
  }
  const ask = (testUser: TestUser, newAddress: string) =>
    testUser.client.post('/api/auth/change-email', { newEmail: newAddress })
  const change = async (testUser: TestUser, newAddress = newEmail()) => {
    assert.equal((await ask(testUser, newAddress)).status, 200)
    assert.equal((await verify(await tokenIn(service(), newAddress))).status, 200)
    return newAddress
  }

  test('verify-email verifies the email address once', async () => {
    const { email, client } = await unverified()
    assert.deepEqual((await client.post('/api/auth/send-verification-email', { email })).body, { status: true })
    const token = await tokenIn(service(), email)
    const answer = await verify(token)
    assert.deepEqual([answer.status, answer.body.status, answer.body.user.emailVerified], [200, true, true])
    assert.deepEqual([(await verify(token)).status, (await verify(token)).body.code], [400, 'INVALID_TOKEN'])
  })

  test('verify-email of a verified address, without a session of the user, revokes nothing', async () => {
    const { context } = service()
    const testUser = await newMember(service())
    const { id: userId, email } = testUser
    const token = await createToken(context.database, context, 'verify email', { userId, data: { email } })
    const { body } = await verify(token)
    assert.deepEqual([body.status, body.user.emailVerified, await isOpen(testUser)], [true, true, true])
    assert.equal((await signIn(email)).status, 200)
  })

  test('A second verify-email of one address changes nothing, and the audit log has one verification', async () => {
    const { context } = service()
    const { id: userId, email, client } = await unverified()
    const verifyAgain = async () => {
      const token = await createToken(context.database, context, 'verify email', { userId, data: { email } })
      return (await verify(token, client)).body.user
    }
    const first = await verifyAgain()
    service().advance(1000)
    assert.deepEqual(await verifyAgain(), first)
    const events = context.database.selectFrom('auditEvents').select('id').where('subjectId', '=', userId)
    assert.equal((await events.where('action', '=', 'email.verified').execute()).length, 1)
  })

  test('verify-email that turns two-step verification off returns the user without it, and the email says so', async () => {
    for (const [hasTwoStep, sayOff] of [
      [true, /Two-step verification is off now/],
      [false, /^(?!.*[Tt]wo-step)/],
    ] as const) {
      const user = await unverified()
      if (hasTwoStep) await enableTotp(service(), user)
      await user.client.post('/api/auth/send-verification-email', { email: user.email })
      const { body } = await verify(await tokenIn(service(), user.email))
      const { twoFactorEnabled, emailVerified } = body.user
      assert.deepEqual([twoFactorEnabled, emailVerified, body.passwordLinkSent], [false, true, true])
      const [message] = await service().emails(user.email)
      assert.equal(message?.subject, 'Choose a password for your account')
      assert.match(message.text.replaceAll(/\s+/g, ' '), sayOff)
    }
  })

  test('The first verification of an address, by its user or by staff, revokes the other links that verify it', async () => {
    const { client: staff } = await administrator(service())
    const ways = [
      (token: string, { client }: TestUser) => verify(token, client),
      (_token: string, { id: userId }: TestUser) =>
        staff.post('/api/auth/admin/update-user', { userId, data: { emailVerified: true } }),
    ]
    for (const verifyFirst of ways) {
      const user = await unverified()
      const send = async () => {
        await user.client.post('/api/auth/send-verification-email', { email: user.email })
        return tokenIn(service(), user.email)
      }
      const [token, other] = [await send(), await send()]
      assert.notEqual(token, other)
      assert.equal((await verifyFirst(token, user)).status, 200)
      const described = await service().client().post('/api/links/describe', { token: other })
      assert.deepEqual([described.body.code, (await verify(other)).body.code], ['INVALID_TOKEN', 'INVALID_TOKEN'])
    }
  })

  test('verify-email redirects to an allowed callback, with the error of a refused token', async () => {
    const { email } = await unverified()
    await service().client().post('/api/auth/send-verification-email', { email, callbackURL: '/account' })
    const token = await tokenIn(service(), email)
    const foreign = await service().client().get(`/api/auth/verify-email?token=${token}&callbackURL=//evil.example`)
    assert.deepEqual([foreign.status, foreign.body.code], [400, 'INVALID_CALLBACK_URL'])
    const path = `/api/auth/verify-email?token=${token}&callbackURL=/account`
    const followed = await service().client().get(path)
    assert.deepEqual([followed.status, followed.headers.get('location')], [302, `${service().baseUrl}/account`])
    const again = await service().client().get(path)
    assert.equal(again.headers.get('location'), `${service().baseUrl}/account?error=INVALID_TOKEN`)
  })

  test('send-verification-email and change-email put no text of the caller into the email, and the link returns the callback', async () => {
    const { email, client } = await unverified()
    const callbackURL = '/account?you-have-won=call-08005551212'
    await service().client().post('/api/auth/send-verification-email', { email, callbackURL })
    const address = newEmail()
    const changing = await newMember(service())
    await changing.client.post('/api/auth/change-email', { newEmail: address, callbackURL })
    for (const recipient of [email, address]) {
      const [message] = await service().emails(recipient)
      assert.doesNotMatch(`${message?.text}${message?.html}`, /have-won|call-0800/, recipient)
      const { status, body } = await client.get(`/api/auth/verify-email?token=${await tokenIn(service(), recipient)}`)
      assert.deepEqual([status, body.callbackURL], [200, callbackURL])
    }
  })

  test('verify-email deletes the earlier credentials and says so, unless the browser is signed in as the user', async () => {
    for (const [isOwn, passwordLinkSent] of [
      [true, false],
      [false, true],
    ] as const) {
      const user = await unverified()
      await user.client.post('/api/auth/send-verification-email', { email: user.email })
      const answer = await verify(await tokenIn(service(), user.email), isOwn ? user.client : service().client())
      assert.equal(answer.body.passwordLinkSent, passwordLinkSent)
      assert.equal((await user.client.get('/api/auth/get-session')).body === null, passwordLinkSent)
    }
  })

  test('CVE-2023-44399: send-verification-email returns the same for a verified, an unverified and an unknown address', async () => {
    const [verified, open] = [await newMember(service()), await unverified()]
    const send = (email: string) => service().client().post('/api/auth/send-verification-email', { email })
    const answers = [await send(verified.email), await send(open.email), await send(newEmail())]
    for (const { status, body } of answers) assert.deepEqual([status, body], [200, { status: true }])
    const emails = async ({ email }: TestUser) =>
      (await service().emails(email)).filter(({ subject }) => subject.startsWith('Verify'))
    assert.deepEqual([(await emails(verified)).length, (await emails(open)).length], [0, 1])
  })

  test('send-verification-email and change-email store no address that the link does not go to', async () => {
    const [asking, verified] = [await newMember(service()), await newMember(service())]
    const unknown = newEmail()
    for (const email of [verified.email, unknown])
      assert.equal((await service().client().post('/api/auth/send-verification-email', { email })).status, 200)
    assert.equal((await ask(asking, verified.email)).status, 200)
    const tokens = await service().context.database.selectFrom('singleUseTokens').select('data').execute()
    assert.ok(tokens.length > 2)
    for (const address of [verified.email, unknown]) assert.ok(!JSON.stringify(tokens).includes(address))
  })

  test('CVE-2026-53514: an unverified user gets no token and no organization', async () => {
    const { client, organization } = await unverified()
    const refused = [
      await client.get(`/api/token?org=${organization.slug}`),
      await client.post('/api/auth/organization/create', { name: 'Mine', slug: 'mine-and-mine' }),
      await client.post('/api/auth/organization/accept-invitation', { invitationId: 'inv_x' }),
    ]
    for (const { status, body } of refused) assert.deepEqual([status, body.code], [403, 'EMAIL_NOT_VERIFIED'])
  })

  test('change-email changes the address when its link is used, revokes other sessions and tells the old address', async () => {
    const one = await newMember(service())
    const asking = await signedIn(service(), one.email)
    const newAddress = newEmail()
    const asked = await ask(asking, newAddress)
    assert.deepEqual([asked.body.status, asked.body.user.email], [true, one.email])
    assert.equal((await verify(await tokenIn(service(), newAddress))).body.user.email, newAddress)
    assert.deepEqual([await isOpen(one), await isOpen(asking)], [false, true])
    const [message] = await service().emails(one.email)
    assert.equal(message?.subject, 'Your email address was changed')
    assert.ok(message?.text.includes(newAddress))
    assert.deepEqual([(await signIn(one.email)).status, (await signIn(newAddress)).status], [401, 200])
  })

  test('change-email tells the current address, for a free and for a taken new address', async () => {
    const testUser = await newMember(service())
    const { email: taken } = await newMember(service())
    const notices = async () =>
      (await service().emails(testUser.email)).filter(
        ({ subject }) => subject === 'Another email address was requested',
      )
    for (const [index, address] of [newEmail(), taken].entries()) {
      assert.equal((await ask(testUser, address)).status, 200)
      assert.equal((await notices()).length, index + 1)
    }
    for (const { text, html } of await notices()) {
      assert.ok(text.includes(`${service().baseUrl}/account/security`))
      assert.doesNotMatch(text + html, /token=/)
    }
  })

  test('The emails of change-email say when and from where it was called', async () => {
    const testUser = await newMember(service())
    const address = newEmail()
    const now = () => formatTime(service().context.now())
    const times = [now()]
    assert.equal((await ask(testUser, address)).status, 200)
    times.push(now())
    for (const recipient of [address, testUser.email]) {
      const text = (await service().emails(recipient))[0]?.text.replace(/\s+/g, ' ') ?? ''
      const [, time = '', place] = /This was on (.*?) from the network address ([\w.:]+)/.exec(text) ?? []
      assert.ok(times.includes(time), text)
      assert.equal(place, testUser.client.address)
    }
  })

  test('change-email tells an unverified old address without the new address and without a link to undo', async () => {
    const testUser = await unverified()
    const right = await change(testUser)
    const [message] = await service().emails(testUser.email)
    assert.equal(message?.subject, 'Your email address is no longer in use')
    for (const told of await service().emails(testUser.email)) {
      assert.doesNotMatch(told.text + told.html, /undo-change-email|token=/)
      assert.ok(!(told.text + told.html).includes(right))
    }
    const { database } = service().context
    const left = await database
      .selectFrom('singleUseTokens')
      .select('purpose')
      .where('userId', '=', testUser.id)
      .execute()
    assert.deepEqual(left, [])
  })

  test('CVE-2023-44399: change-email returns the same for a free and a taken address', async () => {
    const [one, other] = [await newMember(service()), await newMember(service())]
    const taken = await ask(one, other.email)
    const free = await ask(await newMember(service()), newEmail())
    assert.deepEqual([taken.status, taken.body.message], [free.status, free.body.message])
    assert.equal((await service().emails(other.email)).filter(({ subject }) => subject.includes('new email')).length, 0)
  })

  test('change-email revokes the link of an earlier request', async () => {
    const testUser = await newMember(service())
    const [mistyped, right] = [newEmail(), newEmail()]
    for (const address of [mistyped, right]) assert.equal((await ask(testUser, address)).status, 200)
    const refused = await verify(await tokenIn(service(), mistyped))
    assert.deepEqual([refused.status, refused.body.code], [400, 'INVALID_TOKEN'])
    assert.equal((await verify(await tokenIn(service(), right))).status, 200)
  })

  test('CVE-2026-32700: a link of change-email changes to the address it was sent to, with two concurrent requests', async () => {
    const testUser = await newMember(service())
    const addresses = [newEmail(), newEmail()]
    const checked = addresses.map(() => Promise.withResolvers<void>())
    let checkedCount = 0
    const waitForBoth = () => {
      checked[checkedCount]?.resolve()
      checkedCount += 1
      return Promise.all(checked.map(({ promise }) => promise))
    }
    await beforeTransactions(service(), '/api/auth/change-email', waitForBoth, () =>
      Promise.all(addresses.map((address) => ask(testUser, address))),
    )
    const changed: string[] = []
    for (const address of addresses) {
      const answer = await verify(await tokenIn(service(), address))
      if (answer.status !== 200) continue
      assert.equal(answer.body.user.email, address)
      changed.push(address)
    }
    assert.equal(changed.length, 1)
    const { user } = (await testUser.client.get('/api/auth/get-session')).body
    assert.equal(user.email, changed.at(-1) ?? testUser.email)
  })

  test('A link from before another change of the address neither verifies nor changes the address', async () => {
    const rename = (id: string, email: string) =>
      service().context.database.updateTable('users').set({ email }).where('id', '=', id).execute()
    const open = await unverified()
    await service().client().post('/api/auth/send-verification-email', { email: open.email })
    const verification = await tokenIn(service(), open.email)
    await rename(open.id, newEmail())
    assert.equal((await verify(verification, open.client)).body.code, 'INVALID_TOKEN')
    assert.equal((await open.client.get('/api/auth/get-session')).body.user.emailVerified, false)

    const testUser = await newMember(service())
    const wanted = newEmail()
    await ask(testUser, wanted)
    const renamed = newEmail()
    await rename(testUser.id, renamed)
    assert.equal((await verify(await tokenIn(service(), wanted))).body.code, 'INVALID_TOKEN')
    assert.equal((await testUser.client.get('/api/auth/get-session')).body.user.email, renamed)
  })

  test('A change of the address revokes the links in the old mailbox', async () => {
    const testUser = await newMember(service())
    await service().client().post('/api/auth/request-password-reset', { email: testUser.email })
    const token = await tokenIn(service(), testUser.email)
    assert.equal((await testUser.client.post('/api/auth/delete-user', {})).status, 200)
    const deletionToken = await tokenIn(service(), testUser.email)
    await change(testUser)
    const client = service().client()
    const reset = await client.post('/api/auth/reset-password', { newPassword: NEW_PASSWORD, token })
    assert.deepEqual([reset.status, reset.body.code], [400, 'INVALID_TOKEN'])
    const deletion = await client.get(`/api/auth/delete-user/callback?token=${deletionToken}`)
    assert.deepEqual([deletion.status, deletion.body.code], [400, 'INVALID_TOKEN'])
  })

  test('A change to an address that another user took concurrently is refused and changes nothing', async () => {
    const [one, other] = [await newMember(service()), await newMember(service())]
    const address = newEmail()
    await ask(one, address)
    const token = await tokenIn(service(), address)
    await service().context.database.updateTable('users').set({ email: address }).where('id', '=', other.id).execute()
    const answer = await verify(token)
    assert.deepEqual([answer.status, answer.body.code], [400, 'EMAIL_ALREADY_IN_USE'])
    assert.equal((await one.client.get('/api/auth/get-session')).body.user.email, one.email)
  })

  test('undo-change-email restores the address for 7 days, revokes every session and deletes every credential', async () => {
    const victim = await newMember(service())
    const thief = await signedIn(service(), victim.email)
    const first = await change(thief)
    const token = await tokenIn(service(), victim.email)
    const second = await change(thief)
    await thief.client.post('/api/auth/change-password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD })
    const thiefsUndo = await tokenIn(service(), first)

    service().advance(7 * 24 * HOUR - HOUR)
    await service().client().post('/api/auth/request-password-reset', { email: second })
    const thiefsReset = await tokenIn(service(), second)
    assert.deepEqual((await undo(token)).body, { status: true })
    assert.deepEqual(
      [(await undo(token)).body.code, (await undo(thiefsUndo)).body.code],
      ['INVALID_TOKEN', 'INVALID_TOKEN'],
    )
    assert.equal(await isOpen({ token: thief.client.cookies.get('session') ?? '' }), false)
    const devices = service().context.database.selectFrom('knownDevices').select('device')
    assert.deepEqual(await devices.where('userId', '=', victim.id).execute(), [], 'no device has its own guesses')
    for (const password of [PASSWORD, NEW_PASSWORD]) assert.equal((await signIn(victim.email, password)).status, 401)
    const reset = async (token: string) =>
      (await service().client().post('/api/auth/reset-password', { newPassword: PASSWORD, token })).body
    assert.equal((await reset(thiefsReset)).code, 'INVALID_TOKEN')
    assert.deepEqual(await reset(await tokenIn(service(), victim.email)), { status: true })
    assert.equal((await signIn(victim.email)).status, 200)
  })

  test('undo-change-email tells the address that loses the account, without a link and without the earlier address', async () => {
    const victim = await newMember(service())
    const later = await change(victim)
    assert.equal((await undo(await tokenIn(service(), victim.email))).status, 200)
    const [message] = await service().emails(later)
    assert.equal(message?.subject, 'Your email address is no longer in use')
    assert.doesNotMatch(`${message.text}${message.html}`, /token=/)
    assert.ok(!`${message.text}${message.html}`.includes(victim.email))
  })

  const listUndoLinks = ({ id }: TestUser) =>
    service()
      .context.database.selectFrom('singleUseTokens')
      .select('id')
      .where('userId', '=', id)
      .where('purpose', '=', 'undo email change')
      .execute()

  test('A change back to the earlier address leaves no link that undoes a change, and tells the address that loses the account', async () => {
    const owner = await newMember(service())
    const later = await change(owner)
    const token = await tokenIn(service(), owner.email)
    await change(owner, owner.email)
    assert.deepEqual([(await undo(token)).body.code, await listUndoLinks(owner)], ['INVALID_TOKEN', []])
    const [message] = await service().emails(later)
    assert.equal(message?.subject, 'Your email address is no longer in use')
    assert.match(message.text, /uses an earlier email address again/)
    assert.doesNotMatch(`${message.text}${message.html}`, /token=/)
    assert.ok(!`${message.text}${message.html}`.includes(owner.email))
  })

  test('A change back over several changes revokes their links, and leaves the link of an earlier change', async () => {
    const owner = await newMember(service())
    const second = await change(owner)
    const firstLink = await tokenIn(service(), owner.email)
    const third = await change(owner)
    await change(owner)
    const revoked = [await tokenIn(service(), second), await tokenIn(service(), third)]
    await change(owner, second)
    for (const token of revoked) assert.equal((await undo(token)).body.code, 'INVALID_TOKEN')
    assert.equal((await listUndoLinks(owner)).length, 1)
    assert.deepEqual((await undo(firstLink)).body, { status: true })
  })

  test('A change back to the address of several links revokes from the earliest one on', async () => {
    const { context } = service()
    const owner = await newMember(service())
    await change(owner)
    for (const position of [0, 2]) {
      const content = { userId: owner.id, data: { oldEmail: owner.email, position } }
      await createToken(context.database, context, 'undo email change', content)
    }
    await change(owner, owner.email)
    assert.deepEqual(await listUndoLinks(owner), [])
  })

  test('A change back of an unverified address revokes the link, too, and says that the address was not verified', async () => {
    const owner = await newMember(service())
    const later = await change(owner)
    await unverify(owner.id)
    await change(owner, owner.email)
    assert.deepEqual(await listUndoLinks(owner), [])
    assert.match((await service().emails(later))[0]?.text ?? '', /never verified/)
  })

  test('A change back to an earlier address whose link has expired sends a link that undoes it', async () => {
    const owner = await newMember(service())
    const later = await change(owner)
    service().advance(7 * 24 * HOUR)
    await change(await signedIn(service(), later), owner.email)
    assert.deepEqual((await undo(await tokenIn(service(), later))).body, { status: true })
  })

  test('undo-change-email sends one email if an earlier version has changed back to the earlier address', async () => {
    const { context } = service()
    const { id: userId, email } = await newMember(service())
    const content = { userId, data: { oldEmail: email } }
    const token = await createToken(context.database, context, 'undo email change', content)
    const countEmails = async () => (await service().emails(email)).length
    const before = await countEmails()
    assert.equal((await undo(token)).status, 200)
    assert.equal((await countEmails()) - before, 1)
  })

  test('undo-change-email and the first verification delete the consents to apps, which an intruder may have given', async () => {
    const { context } = service()
    const { id: clientId } = await insertTestClient(service())
    const allow = async ({ id: userId }: TestUser) => {
      const consent = { userId, clientId, scopes: ['openid'], organizationId: null }
      await inTransaction(context, OPERATOR, (unit) => saveConsent(unit, consent))
      return () => findConsent(context.database, { userId, clientId })
    }
    const victim = await newMember(service())
    await change(victim)
    const consentOfVictim = await allow(victim)
    assert.equal((await undo(await tokenIn(service(), victim.email))).status, 200)
    assert.equal(await consentOfVictim(), undefined)
    const other = await unverified()
    const consentOfOther = await allow(other)
    await other.client.post('/api/auth/send-verification-email', { email: other.email })
    assert.equal((await verify(await tokenIn(service(), other.email))).body.passwordLinkSent, true)
    assert.equal(await consentOfOther(), undefined)
  })

  test('undo-change-email and the first verification record each passkey, each app and the second step that they end', async () => {
    const { context } = service()
    const { id: clientId } = await insertTestClient(service())
    const addCredentials = async ({ id: userId }: TestUser) => {
      await insertTestPasskeys(service(), userId, 2)
      await enableTotp(service(), { id: userId })
      const consent = { userId, clientId, scopes: ['openid'], organizationId: null }
      await inTransaction(context, OPERATOR, (unit) => saveConsent(unit, consent))
    }
    const endings = ['oauth-consent.revoked', 'passkey.deleted', 'two-factor.disabled']
    const listEndings = async ({ id }: TestUser) => {
      const events = context.database.selectFrom('auditEvents').select('action').where('subjectId', '=', id)
      const rows = await events.where('actorId', '=', id).where('action', 'in', endings).orderBy('action').execute()
      return rows.map(({ action }) => action)
    }
    const expected = ['oauth-consent.revoked', 'passkey.deleted', 'passkey.deleted', 'two-factor.disabled']
    const victim = await newMember(service())
    await change(victim)
    await addCredentials(victim)
    assert.equal((await undo(await tokenIn(service(), victim.email))).status, 200)
    assert.deepEqual(await listEndings(victim), expected)
    const other = await unverified()
    await addCredentials(other)
    await other.client.post('/api/auth/send-verification-email', { email: other.email })
    assert.equal((await verify(await tokenIn(service(), other.email))).status, 200)
    assert.deepEqual(await listEndings(other), expected)
  })

  /** The token of the undo link. Not read from the newest email, because these tests set the clock back. */
  const undoTokenIn = async (address: string) => {
    const texts = (await service().emails(address)).map(
      ({ text }) => /undo-change-email#token=([\w-]+)/.exec(text)?.[1],
    )
    return texts.find((token) => token !== undefined) ?? ''
  }

  test('undo-change-email knows the order of the changes when the clock of a process is behind', async () => {
    const victim = await newMember(service())
    const thief = await signedIn(service(), victim.email)
    const first = await change(thief)
    const token = await undoTokenIn(victim.email)
    service().advance(-10_000)
    await change(thief, newEmail())
    const thiefsUndo = await undoTokenIn(first)
    const { totpURI } = (await thief.client.post('/api/auth/two-factor/enable', { password: PASSWORD })).body
    const code = appOfUri(totpURI).codeAt(service().context.now())
    assert.equal((await thief.client.post('/api/auth/two-factor/verify-totp', { code })).status, 200)
    service().advance(10_000)

    assert.deepEqual((await undo(token)).body, { status: true })
    assert.equal((await undo(thiefsUndo)).body.code, 'INVALID_TOKEN')
    const reset = { newPassword: NEW_PASSWORD, token: await tokenIn(service(), victim.email) }
    assert.equal((await service().client().post('/api/auth/reset-password', reset)).status, 200)
    assert.equal((await signIn(victim.email, NEW_PASSWORD)).body.user.email, victim.email)
  })

  test('undo-change-email of a later change leaves the earlier link when the clock of a process was ahead', async () => {
    const victim = await newMember(service())
    const thief = await signedIn(service(), victim.email)
    service().advance(10_000)
    const first = await change(thief)
    const token = await undoTokenIn(victim.email)
    service().advance(-10_000)
    await change(thief, newEmail())
    assert.deepEqual((await undo(await undoTokenIn(first))).body, { status: true })
    assert.deepEqual((await undo(token)).body, { status: true })
  })

  test('undo-change-email refuses a link after 7 days', async () => {
    const testUser = await newMember(service())
    await change(testUser)
    const token = await tokenIn(service(), testUser.email)
    service().advance(7 * 24 * HOUR)
    assert.equal((await undo(token)).body.code, 'INVALID_TOKEN')
  })

  test('change-email refuses the current address, an invalid address and a session that is not fresh', async () => {
    const testUser = await newMember(service())
    assert.deepEqual(
      [(await ask(testUser, testUser.email.toUpperCase())).status, (await ask(testUser, testUser.email)).body.field],
      [400, 'newEmail'],
    )
    for (const nonsense of [
      'a',
      'a@b',
      '@b.example',
      'a b@c.example',
      'a@b..example',
      `${'x'.repeat(65)}@c.example`,
      'a@-b.example',
      'ä@b.example',
      'a@b.example\n',
    ]) {
      const { status, body } = await ask(testUser, nonsense)
      // White space around an address is trimmed.
      if (nonsense.trim() !== nonsense) continue
      assert.deepEqual([status, body.code, body.field], [400, 'INVALID_EMAIL', 'newEmail'], nonsense)
    }
    service().advance(15 * 60_000)
    assert.deepEqual(
      [(await ask(testUser, newEmail())).status, (await ask(testUser, newEmail())).body.code],
      [403, 'SESSION_NOT_FRESH'],
    )
  })
})
