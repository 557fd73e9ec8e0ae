import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../../test/support/service.ts'
import {
  administratorWithOrganization,
  invite,
  member,
  newEmail,
  PASSWORD,
  signUp,
} from '../../../../test/support/users.ts'
import { whenServed } from '../../../../test/support/when-served.ts'

onEachDatabase('sign-up', (service) => {
  const countUsers = async () => {
    const { count } = await service()
      .context.database.selectFrom('users')
      .select((select) => select.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }
  const user = (email: string) => ({ name: 'Hilda Hire', email, password: PASSWORD })

  test('CVE-2026-29193, CVE-2022-46145: sign-up without an invitation returns 400 INVITATION_REQUIRED and creates no user', async () => {
    await administratorWithOrganization(service())
    const before = await countUsers()
    const email = newEmail()
    const variants: Array<[Record<string, unknown>, Record<string, string>]> = [
      [{}, {}],
      [{ invitation: 'inv_made-up.secret' }, {}],
      [{ invitation: `inv_${'0'.repeat(26)}.${'A'.repeat(43)}` }, {}],
      [{ invitation: '' }, {}],
      [{}, { invitation: 'anything' }],
      [{ callbackURL: '/account' }, {}],
    ]
    for (const [more, cookies] of variants) {
      const client = service().client()
      for (const [name, value] of Object.entries(cookies)) client.cookies.set(name, value)
      const answer = await client.post('/api/auth/sign-up/email', { ...user(email), ...more })
      assert.deepEqual([answer.status, answer.body.code], [400, 'INVITATION_REQUIRED'], JSON.stringify(more))
      assert.equal(answer.headers.get('set-auth-token'), null)
    }
    const bare = await service().client().post('/api/auth/sign-up/email', user(email))
    assert.deepEqual([bare.status, bare.body.code], [400, 'INVITATION_REQUIRED'])
    assert.equal(await countUsers(), before)
  })

  test('sign-up accepts the reference in the body and in the cookie', async () => {
    const { email, linkPath } = await invite(service(), await administratorWithOrganization(service()))
    const reference = linkPath.slice('/invite/'.length)
    const answer = await service()
      .client()
      .post('/api/auth/sign-up/email', { ...user(email), invitation: reference })
    assert.equal(answer.status, 200)
    assert.deepEqual(Object.keys(answer.body.user).toSorted(), [
      'createdAt',
      'email',
      'emailVerified',
      'id',
      'image',
      'name',
      'updatedAt',
    ])
    assert.equal(answer.body.user.emailVerified, true)
  })

  test('CVE-2024-28197: sign-up revokes the session in the cookie, which is another user’s', async () => {
    const founder = await administratorWithOrganization(service())
    const former = await member(service(), founder)
    const { email, linkPath } = await invite(service(), founder)
    await former.client.get(linkPath)
    assert.equal((await former.client.post('/api/auth/sign-up/email', user(email))).status, 200)
    assert.equal((await former.client.get('/api/auth/get-session')).body.user.email, email)
    const { events } = (await former.client.get('/api/auth/list-security-events')).body
    const created = events.find(({ action }: { action: string }) => action === 'user.created')
    assert.deepEqual([created.byStaff, created.ipAddress], [false, former.client.address])
    const headers = { authorization: `Bearer ${former.token}` }
    assert.equal((await service().client().get('/api/auth/get-session', { headers })).body, null)
  })

  test('sign-up refuses another address than the invited one', async () => {
    const { linkPath } = await invite(service(), await administratorWithOrganization(service()))
    const before = await countUsers()
    const client = service().client()
    await client.get(linkPath)
    const answer = await client.post('/api/auth/sign-up/email', user(newEmail()))
    assert.deepEqual([answer.status, answer.body.code, answer.body.field], [400, 'INVITATION_REQUIRED', 'email'])
    assert.equal(await countUsers(), before)
  })

  test('sign-up creates one user for concurrent requests', async () => {
    const invited = await invite(service(), await administratorWithOrganization(service()))
    const before = await countUsers()
    const client = service().client()
    await client.get(invited.linkPath)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => whenServed(() => client.post('/api/auth/sign-up/email', user(invited.email)))),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const { status, body } of answers)
      if (status !== 200) assert.deepEqual([status, body.code], [422, 'USER_ALREADY_EXISTS'])
    assert.equal(await countUsers(), before + 1)
  })

  test('CVE-2025-64708: sign-up refuses an expired invitation before it is purged', async () => {
    const invited = await invite(service(), await administratorWithOrganization(service()))
    service().advance(7 * 86_400_000)
    const client = service().client()
    const opened = await client.get(invited.linkPath)
    assert.equal(opened.headers.get('location'), '/invitation?error=INVITATION_EXPIRED')
    const reference = invited.linkPath.slice('/invite/'.length)
    const answer = await client.post('/api/auth/sign-up/email', { ...user(invited.email), invitation: reference })
    assert.deepEqual([answer.status, answer.body.code], [400, 'INVITATION_EXPIRED'])
  })

  test('sign-up does not accept the invitation: the user is in no organization', async () => {
    const inviter = await administratorWithOrganization(service())
    const hire = await signUp(service(), await invite(service(), inviter))
    assert.equal((await hire.client.get(`/api/token?org=${inviter.organization.slug}`)).status, 404)
    assert.deepEqual((await hire.client.get('/api/auth/organization/list')).body, [])
  })

  test('sign-up refuses a password that is too short, too long or too common, each with its code', async () => {
    const { email, linkPath } = await invite(service(), await administratorWithOrganization(service()))
    const client = service().client()
    await client.get(linkPath)
    const complaints = {
      short: 'PASSWORD_TOO_SHORT',
      '🗝️🗝️🗝️': 'PASSWORD_TOO_SHORT',
      password1: 'PASSWORD_TOO_COMMON',
      QWERTYUIOP: 'PASSWORD_TOO_COMMON',
      ['x'.repeat(129)]: 'PASSWORD_TOO_LONG',
    }
    for (const [password, code] of Object.entries(complaints)) {
      const answer = await client.post('/api/auth/sign-up/email', { ...user(email), password })
      assert.deepEqual([answer.status, answer.body.code, answer.body.field], [400, code, 'password'], password)
    }
    const longest = `${'🗝'.repeat(127)}x`
    assert.equal((await client.post('/api/auth/sign-up/email', { ...user(email), password: longest })).status, 200)
  })

  test('sign-in accepts the password in every Unicode form of its characters', async () => {
    const { email, linkPath } = await invite(service(), await administratorWithOrganization(service()))
    const client = service().client()
    await client.get(linkPath)
    await client.post('/api/auth/sign-up/email', { ...user(email), password: 'Zoe\u0308s Schlu\u0308ssel' })
    const answer = await service()
      .client()
      .post('/api/auth/sign-in/email', { email, password: 'Zo\u00ebs Schl\u00fcssel' })
    assert.equal(answer.status, 200)
  })
})
