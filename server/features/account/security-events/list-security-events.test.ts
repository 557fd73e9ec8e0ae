import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newUsers } from '../../../../test/support/many-users.ts'
import { onEachDatabase } from '../../../../test/support/service.ts'
import { userWithRole } from '../../../../test/support/staff.ts'
import { statementsOf } from '../../../../test/support/statements.ts'
import { enableEmailCodes, enableTotp, firstStep } from '../../../../test/support/two-step.ts'
import { administrator, newEmail, PASSWORD, signedIn, type TestUser, tokenIn } from '../../../../test/support/users.ts'
import { OPERATOR } from '../../../core/audit/actor.ts'
import { recordEvents } from '../../../core/audit/record-event.ts'

const LIST = '/api/auth/list-security-events'
const ADMIN = '/api/auth/admin'
const DAY = 86_400_000
const actor = { ...OPERATOR, ipAddress: '192.0.2.1', userAgent: 'Firefox' }

interface Listed {
  id: string
  action: string
  ipAddress: string | null
  device: string | null
  byStaff: boolean
  impersonated: boolean
  details: Record<string, unknown>
}

onEachDatabase('list-security-events', (service) => {
  const newUser = async () => userWithRole(service(), await administrator(service()))
  const list = async ({ client }: Pick<TestUser, 'client'>, query = ''): Promise<Listed[]> => {
    await service().context.repeatedEvents.save()
    const answer = await client.get(`${LIST}${query}`)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.events
  }
  const find = (events: Listed[], action: string): Listed => {
    const found = events.find((event) => event.action === action)
    assert.ok(found, action)
    return found
  }

  test('list-security-events shows the sign-ins and failures of the caller with network and device, and of no other user', async () => {
    const user = await newUser()
    const stranger = await newUser()
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
    const wrong = { email: user.email, password: 'a wrong guess' }
    assert.equal((await stranger.client.post('/api/auth/sign-in/email', wrong, { headers })).status, 401)
    const events = await list(user)
    assert.deepEqual(events.map(({ action }) => action).toSorted(), [
      'session.started',
      'sign-in.failed',
      'user.created',
    ])
    const { id: _, ...failed } = find(events, 'sign-in.failed') as Listed & { createdAt?: string }
    assert.equal(typeof failed.createdAt, 'string')
    assert.deepEqual(
      [failed.ipAddress, failed.device, failed.byStaff, failed.impersonated, failed.details.count],
      [stranger.client.address, 'Firefox on Linux', false, false, 1],
    )
    assert.equal(find(events, 'session.started').ipAddress, user.client.address)
    assert.equal(
      (await list(stranger)).some(({ action }) => action === 'sign-in.failed'),
      false,
    )
  })

  test('list-security-events names staff neither by id nor by network, not even after they left the staff', async () => {
    const first = await administrator(service())
    const staff = await userWithRole(service(), first, 'admin')
    const user = await newUser()
    const userId = user.id
    const act = async (path: string, body: object) =>
      assert.equal((await staff.client.post(`${ADMIN}/${path}`, { userId, ...body })).status, 200, path)
    await act('ban-user', { banReason: 'Known to Olga', banExpiresIn: 3600 })
    await act('unban-user', {})
    await enableTotp(service(), user)
    await act('reset-two-factor', { reason: 'Known to Olga' })
    await act('set-role', { role: 'support' })
    await act('set-role', { role: 'user' })
    await act('set-user-password', { newPassword: PASSWORD })
    const newAddress = newEmail()
    await act('update-user', { data: { email: newAddress, emailVerified: true } })
    const impersonated = service().client()
    const { body } = await staff.client.post(`${ADMIN}/impersonate-user`, { userId })
    await impersonated.post('/api/auth/sign-out', {}, { headers: { authorization: `Bearer ${body.session.token}` } })
    const assertHidden = async () => {
      const { client } = await signedIn(service(), newAddress)
      const events = await list({ client })
      const text = JSON.stringify(events)
      for (const secret of [staff.id, staff.client.address, staff.email, impersonated.address, 'Olga'])
        assert.ok(!text.includes(secret), secret)
      for (const action of [
        'email.changed',
        'password.set',
        'two-factor.reset',
        'user.banned',
        'user.unbanned',
        'user.role-set',
        'impersonation.started',
      ])
        assert.deepEqual([find(events, action).byStaff, find(events, action).device], [true, null], action)
      return events
    }
    const events = await assertHidden()
    assert.deepEqual(find(events, 'user.role-set').details, { role: 'user', before: 'support' })
    assert.deepEqual(Object.keys(find(events, 'user.banned').details), ['expiresAt'])
    assert.equal(find(events, 'impersonation.ended').impersonated, true)
    await first.client.post(`${ADMIN}/set-role`, { userId: staff.id, role: 'user' })
    await assertHidden()
    await first.client.post(`${ADMIN}/remove-user`, { userId: staff.id })
    await assertHidden()
  })

  test('list-security-events shows the network of a link that was used in the browser of another user', async () => {
    const victim = await newUser()
    const intruder = await newUser()
    const use = async (path: string) => assert.equal((await intruder.client.get(path)).status, 200, path)
    const mailbox = newEmail()
    await victim.client.post('/api/auth/change-email', { newEmail: mailbox })
    await use(`/api/auth/verify-email?token=${await tokenIn(service(), mailbox)}`)
    await intruder.client.post('/api/auth/request-password-reset', { email: mailbox })
    const reset = { token: await tokenIn(service(), mailbox), newPassword: 'another horse battery' }
    assert.equal((await intruder.client.post('/api/auth/reset-password', reset)).status, 200)
    const events = await list(await signedIn(service(), mailbox, reset.newPassword))
    for (const action of ['email.changed', 'password.set', 'session.ended']) {
      const { byStaff, ipAddress } = find(events, action)
      assert.deepEqual([byStaff, ipAddress], [false, intruder.client.address], action)
    }
    const undo = await tokenIn(service(), victim.email)
    assert.equal((await intruder.client.post('/api/undo-change-email', { token: undo })).status, 200)
    const again = { token: await tokenIn(service(), victim.email), newPassword: PASSWORD }
    assert.equal((await intruder.client.post('/api/auth/reset-password', again)).status, 200)
    const undone = find(await list(await signedIn(service(), victim.email)), 'email.change-undone')
    assert.deepEqual([undone.byStaff, undone.ipAddress], [false, intruder.client.address])
  })

  test('list-security-events says neither that staff took over a shared browser nor from which network', async () => {
    const user = await newUser()
    const staff = await userWithRole(service(), await administrator(service()), 'admin')
    const trust = async ({ client, id }: TestUser) => {
      const code = (await enableTotp(service(), { id })).codeAt(service().context.now())
      const { status } = await client.post('/api/auth/two-factor/verify-totp', { code, trustDevice: true })
      assert.equal(status, 200)
    }
    await trust(user)
    staff.client.cookies.set('trusted-device', user.client.cookies.get('trusted-device') ?? '')
    await trust(staff)
    const { byStaff, impersonated, ipAddress, device } = find(await list(user), 'trusted-device.revoked')
    assert.deepEqual([byStaff, impersonated, ipAddress, device], [false, false, null, null])
  })

  test('list-security-events shows wrong and used codes of the second step with their network, and the recovery codes left', async () => {
    const user = await newUser()
    const { backupCodes } = await enableTotp(service(), user)
    const elsewhere = service().client()
    await firstStep(elsewhere, user.email)
    await elsewhere.post('/api/auth/two-factor/verify-totp', { code: '000000' })
    await elsewhere.post('/api/auth/two-factor/verify-backup-code', { code: backupCodes[0] })
    const events = await list(user)
    for (const action of ['two-factor.failed', 'recovery-code.used'])
      assert.equal(find(events, action).ipAddress, elsewhere.address, action)
    assert.deepEqual(find(events, 'recovery-code.used').details, { remaining: 9 })
  })

  test('list-security-events shows a right password without a code, and a mailed code, with the network of the browser', async () => {
    const user = await newUser()
    await enableEmailCodes(service(), user)
    const intruder = await newUser()
    const challenged = await firstStep(intruder.client, user.email)
    const { twoFactorToken } = challenged.body
    assert.equal((await intruder.client.post('/api/auth/two-factor/send-otp', { twoFactorToken })).status, 200)
    const events = await list(user)
    const due = find(events, 'sign-in.second-step-due')
    assert.deepEqual(
      [due.ipAddress, due.byStaff, due.details],
      [intruder.client.address, false, { method: 'password' }],
    )
    assert.equal(find(events, 'two-factor.code-sent').ipAddress, intruder.client.address)
    const { database } = service().context
    const requestId = challenged.headers.get('x-request-id')
    const recorded = database.selectFrom('auditEvents').selectAll().where('requestId', '=', requestId)
    const ofStep = (await recorded.execute()).filter(({ action }) => action === due.action)
    assert.deepEqual(
      ofStep.map(({ actorId, subjectId }) => [actorId, subjectId]),
      [[intruder.id, user.id]],
    )
  })

  test('list-security-events shows 90 days, newest first, by page', async () => {
    const { email } = await newUser()
    service().advance(90 * DAY)
    const { client } = await signedIn(service(), email)
    assert.deepEqual(
      (await list({ client })).map(({ action }) => action),
      ['session.started'],
    )
    await client.post('/api/auth/request-password-reset', { email })
    const { body } = await client.get(`${LIST}?limit=1`)
    assert.deepEqual([body.limit, body.offset, body.events.length], [1, 0, 1])
    const [newest, oldest] = [await list({ client }, '?limit=1'), await list({ client }, '?limit=1&offset=1')]
    assert.deepEqual([newest[0]?.action, oldest[0]?.action], ['password.reset-requested', 'session.started'])
    assert.equal((await client.get(`${LIST}?limit=1&offset=1`)).body.hasMore, false)
    const { id: otherId } = await administrator(service())
    assert.deepEqual(await list({ client }, `?userId=${otherId}`), await list({ client }), 'the events of the caller')
  })

  test('A change by the command line is by the staff of the service, and no client can pose as it', async () => {
    const [email = ''] = await newUsers(service(), 1)
    const { client } = await signedIn(service(), email)
    const attacker = service().client()
    const headers = { 'user-agent': 'command line' }
    await attacker.post('/api/auth/sign-in/email', { email, password: 'a wrong guess' }, { headers })
    const events = await list({ client })
    assert.deepEqual([find(events, 'user.created').byStaff, find(events, 'user.created').device], [true, null])
    const failed = find(events, 'sign-in.failed')
    assert.deepEqual([failed.byStaff, failed.ipAddress], [false, attacker.address])
  })

  test('list-security-events executes as many statements for the events of 13 other users as for those of 3', async (t) => {
    const { context } = service()
    const user = await newUser()
    const staff = await administrator(service())
    const counts: number[] = []
    // The first request fills caches.
    for (const count of [2, 0, 10]) {
      const emails = await newUsers(service(), count)
      const others = await context.database
        .selectFrom('users')
        .select('id')
        .where('email', 'in', [staff.email, ...emails])
        .execute()
      for (const { id: actorId } of others)
        await recordEvents(context.database, context, { ...actor, actorId }, [
          { action: 'password.set', subjectId: user.id },
        ])
      // A session that is read first after a commit may be read twice.
      await user.client.get('/api/auth/get-session')
      const statements = await statementsOf(t, service(), async () => {
        const ofStaff = (await list(user)).filter(({ action, byStaff }) => action === 'password.set' && byStaff)
        assert.equal(ofStaff.length, counts.length + 1, 'the events of the administrator')
      })
      counts.push(statements.length)
    }
    assert.equal(counts[2], counts[1])
  })
})
