import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { onEachDatabase, type Service, startService } from '../test/support/service.ts'
import { userWithRole } from '../test/support/staff.ts'
import { until } from '../test/support/until.ts'
import { administrator, administratorWithOrganization, invite, newEmail, signUp } from '../test/support/users.ts'
import { linkNewEvents } from './core/audit/chain.ts'
import { setPasswordEmail } from './features/account/email/emails.ts'
import { createMaintenance, maintain } from './maintenance.ts'
import { prepareEmail, sendEmail } from './platform/mail/outbox.ts'
import { DAY_MILLISECONDS } from './platform/time/time-units.ts'

onEachDatabase('maintenance', (service, engine) => {
  test('Maintenance deletes emails without a recipient, and no waiting email', async () => {
    const { email } = await administrator(service())
    const addresses = [newEmail(), newEmail(), email]
    for (const address of addresses)
      await service().client().post('/api/auth/request-password-reset', { email: address })
    await maintain(service().context)
    const outbox = service().context.database.selectFrom('outbox').select(['recipient', 'failedAt'])
    const emails = await outbox.where('recipient', 'in', addresses).execute()
    assert.deepEqual(
      emails.map(({ recipient, failedAt }) => [recipient, failedAt]),
      [[email, null]],
    )
  })

  test('Maintenance deletes several batches of expired sessions and tokens, and no valid ones', async () => {
    const admin = await administrator(service())
    const user = await userWithRole(service(), admin)
    await plantSessions(service(), user.id, 250)
    await service().client().post('/api/auth/request-password-reset', { email: user.email })
    const before = await counts(service())
    await maintain(service().context)
    assert.deepEqual(await counts(service()), { ...before, sessions: before.sessions - 250 })
    assert.equal((await user.client.get('/api/auth/get-session')).body.user.id, user.id)

    service().advance(31 * DAY_MILLISECONDS)
    await maintain(service().context)
    assert.deepEqual(await counts(service()), { ...before, sessions: 0, tokens: 0 })
  })

  test('A stop ends maintenance after a batch of 25 rows', async () => {
    const user = await userWithRole(service(), await administrator(service()))
    await plantSessions(service(), user.id, 60)
    const { sessions } = await counts(service())
    const stopping = new AbortController()
    const deleting = maintain(service().context, stopping.signal)
    stopping.abort()
    await deleting
    assert.equal((await counts(service())).sessions, sessions - 25)
    await maintain(service().context)
  })

  test('Maintenance runs immediately after its start', async (t) => {
    const atRightTime = await startService({ engine })
    t.after(() => atRightTime.stop())
    const user = await userWithRole(atRightTime, await administrator(atRightTime))
    await plantSessions(atRightTime, user.id, 1)
    const { sessions } = await counts(atRightTime)
    const maintenance = createMaintenance(atRightTime.context)
    maintenance.start()
    const isDeleted = async () => (await counts(atRightTime)).sessions === sessions - 1
    await until(isDeleted, 'the session is deleted').finally(maintenance.stop)
  })

  test('Maintenance deletes invitations 90 days after their expiry, also accepted ones, and no member', async () => {
    const founder = await administratorWithOrganization(service())
    const accepted = await invite(service(), founder)
    const { client } = await signUp(service(), accepted)
    const { invitationId } = accepted
    await client.post('/api/auth/organization/accept-invitation', { invitationId })
    await invite(service(), founder)
    service().advance(DAY_MILLISECONDS)
    await invite(service(), founder)
    const { database } = service().context
    const left = async () => {
      await maintain(service().context)
      const organizationId = founder.organization.id
      const rows = await database
        .selectFrom('invitations')
        .select('id')
        .where('organizationId', '=', organizationId)
        .execute()
      return rows.length
    }
    service().advance(95 * DAY_MILLISECONDS)
    assert.equal(await left(), 3)
    service().advance(DAY_MILLISECONDS)
    assert.equal(await left(), 1)
    service().advance(DAY_MILLISECONDS)
    assert.equal(await left(), 0)
    const members = database.selectFrom('members').select('id').where('organizationId', '=', founder.organization.id)
    assert.equal((await members.execute()).length, 2)
  })

  test('Maintenance deletes sent and failed emails after three months, and no waiting email', async () => {
    const { context } = service()
    const [sent, failed, waiting] = await context.database
      .transaction()
      .execute(async (transaction) =>
        Promise.all(
          [1, 2, 3].map(() =>
            sendEmail(
              { transaction, context },
              prepareEmail(context, setPasswordEmail(newEmail(), 'https://accounts.example.com/', false)),
            ),
          ),
        ),
      )
    const update = (id: string | undefined, change: { sentAt: number } | { failedAt: number }) =>
      context.database
        .updateTable('outbox')
        .set(change)
        .where('id', '=', id ?? '')
        .execute()
    await update(sent, { sentAt: context.now() })
    await update(failed, { failedAt: context.now() })
    const left = async () => {
      await maintain(context)
      const ids = [sent ?? '', failed ?? '', waiting ?? '']
      const rows = await context.database.selectFrom('outbox').select('id').where('id', 'in', ids).execute()
      return rows.length
    }
    service().advance(89 * DAY_MILLISECONDS)
    assert.equal(await left(), 3)
    service().advance(2 * DAY_MILLISECONDS)
    assert.equal(await left(), 1)
  })

  test('Maintenance purges audit events and runs the other steps after a step that fails, and logs its name', async (t) => {
    // PostgreSQL has the right time, which the clock of maintenance must not be ahead of.
    const earlier = await startService({ engine, clockAheadMilliseconds: -40 * DAY_MILLISECONDS })
    t.after(() => earlier.stop())
    const { context } = earlier
    const { database, config } = context
    const user = await userWithRole(earlier, await administrator(earlier))
    await linkNewEvents(context)
    const device = {
      userId: user.id,
      device: 'a hash',
      createdAt: context.now(),
      expiresAt: context.now(),
      isBrowser: 1,
    }
    await database.insertInto('knownDevices').values(device).execute()
    earlier.advance(40 * DAY_MILLISECONDS)
    await database.schema.alterTable('singleUseTokens').renameTo('tokensAway').execute()
    const lines: { msg: string; step?: string; err: { message: string } }[] = []
    const ended = Promise.withResolvers<void>()
    const write = (line: string) => {
      lines.push(JSON.parse(line))
      if (lines.at(-1)?.msg === 'maintenance failed') ended.resolve()
    }
    const maintenance = createMaintenance({
      ...context,
      config: { ...config, auditRetentionDays: 30 },
      log: pino({}, { write }),
    })
    maintenance.start()
    await ended.promise
    await maintenance.stop()
    await database.schema.alterTable('tokensAway').renameTo('singleUseTokens').execute()

    assert.deepEqual(
      lines.map(({ step }) => step),
      ['deleteExpiredTokens', undefined],
    )
    assert.match(lines[1]?.err.message ?? '', /deleteExpiredTokens/)
    const devices = database.selectFrom('knownDevices').select('userId').where('device', '=', device.device)
    assert.deepEqual(await devices.execute(), [])
    const purges = database.selectFrom('auditEvents').select('id').where('action', '=', 'audit-log.purged')
    assert.equal((await purges.execute()).length, 1)
  })
})

async function plantSessions({ context }: Service, userId: string, count: number): Promise<void> {
  const now = context.now()
  const sessions = Array.from({ length: count }, (_, index) => ({
    id: `ses_planted${index}`,
    userId,
    tokenHash: `planted ${index}`,
    createdAt: now - DAY_MILLISECONDS,
    updatedAt: now - DAY_MILLISECONDS,
    expiresAt: now,
    authenticatedAt: now - DAY_MILLISECONDS,
    rememberMe: 0,
    ipAddress: null,
    userAgent: null,
    activeOrganizationId: null,
    impersonatedBy: null,
  }))
  await context.database
    .insertInto('sessions')
    .values(sessions as never)
    .execute()
}

async function counts({ context }: Service): Promise<{ sessions: number; tokens: number; emails: number }> {
  const count = async (table: 'sessions' | 'singleUseTokens' | 'outbox') => {
    const { total } = await context.database
      .selectFrom(table)
      .select((select) => select.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    return total
  }
  return { sessions: await count('sessions'), tokens: await count('singleUseTokens'), emails: await count('outbox') }
}
