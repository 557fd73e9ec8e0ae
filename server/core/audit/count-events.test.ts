import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failWrites } from '../../../test/support/fail-writes.ts'
import { secondProcess } from '../../../test/support/second-process.ts'
import { onEachDatabase } from '../../../test/support/service.ts'
import { administer } from '../../../test/support/staff.ts'
import { administrator, newEmail, newUser, PASSWORD } from '../../../test/support/users.ts'
import { inTransaction } from '../in-transaction.ts'
import { OPERATOR } from './actor.ts'
import { linkNewEvents } from './chain.ts'

const MINUTE = 60_000

onEachDatabase('Counters of audit events', (service) => {
  const other = secondProcess(service)

  async function countOf(name: string, detail = ''): Promise<number> {
    const rows = await service()
      .context.database.selectFrom('statistics')
      .select('count')
      .where('name', '=', name)
      .where('detail', '=', detail)
      .execute()
    return rows.reduce((sum, { count }) => sum + count, 0)
  }
  const recordBans = (count: number) =>
    inTransaction(service().context, OPERATOR, async ({ record }) => {
      for (let index = 0; index < count; index += 1) await record({ action: 'user.banned', subjectId: 'usr_1' })
    })

  test('Two processes that link concurrently count each event once', async () => {
    const before = await countOf('ban')
    const { context } = await other()
    await recordBans(450)
    await Promise.all([service().context, context].flatMap((one) => [linkNewEvents(one), linkNewEvents(one)]))
    await linkNewEvents(context)
    assert.equal((await countOf('ban')) - before, 450)
  })

  test('A crash while events are linked and counted neither loses nor doubles a count', async () => {
    const { context } = service()
    await linkNewEvents(context)
    const before = await countOf('unban')
    await inTransaction(context, OPERATOR, async ({ record }) => {
      for (let index = 0; index < 3; index += 1) await record({ action: 'user.unbanned', subjectId: 'usr_1' })
    })
    for (const table of ['auditEvents', 'statistics']) {
      const allowWrites = await failWrites(service(), table)
      await assert.rejects(linkNewEvents(context), /crashed/)
      await allowWrites()
      assert.equal(await countOf('unban'), before)
    }
    await linkNewEvents(context)
    await linkNewEvents(context)
    assert.equal((await countOf('unban')) - before, 3)
  })

  test('Sign-ins are counted by method, and failed ones by reason, with their repetitions', async () => {
    const { context } = service()
    const email = 'counted@example.com'
    const boss = await administrator(service())
    await newUser(service(), { email })
    const bannedEmail = newEmail()
    const bannedId = await newUser(service(), { email: bannedEmail })
    await administer(boss, 'ban-user', { userId: bannedId })
    const signIn = (address: string, password: string) =>
      service().client().post('/api/auth/sign-in/email', { email: address, password })
    const names: [string, string][] = [
      ['sign-in', 'password'],
      ['sign-in-failed', 'wrong password'],
      ['sign-in-failed', 'unknown email address'],
      ['sign-in-failed', 'banned'],
      ['user-created', 'staff'],
    ]
    await linkNewEvents(context)
    const counts = () => Promise.all(names.map(([name, detail]) => countOf(name, detail)))
    const before = await counts()
    await newUser(service())
    assert.equal((await signIn(email, PASSWORD)).status, 200)
    const client = service().client()
    for (let count = 0; count < 3; count += 1)
      await client.post('/api/auth/sign-in/email', { email, password: 'not the right one' })
    await signIn('unknown@example.com', 'not the right one')
    assert.equal((await signIn(bannedEmail, PASSWORD)).status, 403)
    await context.repeatedEvents.save()
    service().advance(12 * MINUTE)
    await linkNewEvents(context)
    const after = await counts()
    assert.deepEqual(
      after.map((count, index) => count - (before[index] ?? 0)),
      [1, 3, 1, 1, 1],
    )
  })
})
