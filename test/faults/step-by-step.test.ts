import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { OPERATOR } from '../../server/core/audit/actor.ts'
import { createUnit } from '../../server/core/in-transaction.ts'
import { lockSessionsOfUser } from '../../server/core/sessions/lock-sessions.ts'
import { createUser } from '../../server/core/users/create-user.ts'
import type { Answer } from '../support/client.ts'
import { type ConcurrentStep, concurrently } from '../support/concurrently.ts'
import { type Cast, newCast } from '../support/race-cast.ts'
import { DEEDS } from '../support/race-deeds.ts'
import { type Service, startService } from '../support/service.ts'
import { administrator, PASSWORD } from '../support/users.ts'

/**
 * Two that want the same rows, in steps whose order is certain: if the second held what the first one wants next,
 * PostgreSQL would have to break one of them off.
 */
describe('Whoever comes second waits, and holds nothing that the first one wants', () => {
  let service: Service
  let passwordHash: string
  let cast: Cast
  before(async () => {
    service = await startService({ engine: 'postgres' })
    passwordHash = await service.context.passwords.hash(PASSWORD)
    await administrator(service)
  })
  beforeEach(async () => {
    cast = await newCast(service, passwordHash, ['boss', 'vice', 'pat', 'kim'])
  })
  after(() => service.stop())

  const doing = (name: string) => async (): Promise<Answer> => {
    const deed = DEEDS[name]
    assert.ok(deed, name)
    return deed(cast, service)
  }
  const check = ({ status, body }: Answer, expected: [number, string | undefined]) =>
    assert.deepEqual([status, body?.code], expected, JSON.stringify(body))

  /** Two rows that lie the other way round than their ids go: the deed wants them in the order of the ids. */
  async function twoOf(table: 'sessions', ids: string[]): Promise<ConcurrentStep> {
    const { rows } = await sql<{ first: string; second: string }>`
      select first.id as first, second.id as second from ${sql.table(table)} as first, ${sql.table(table)} as second
      where first.id < second.id and first.ctid > second.ctid and first.id in (${sql.join(ids)}) and second.id in (${sql.join(ids)})
    `.execute(service.context.database)
    const [pair] = rows
    assert.ok(pair, 'two rows are turned round')
    const locking =
      (id: string): ConcurrentStep['begin'] =>
      (transaction) =>
        transaction.selectFrom(table).select('id').where('id', '=', id).forUpdate().execute()
    return { begin: locking(pair.first), finish: locking(pair.second) }
  }

  /** Moves rows, the last one first; and where indexes find them too. */
  async function turnRound(table: 'sessions', ids: string[], changes: object[]): Promise<void> {
    for (const change of changes)
      for (const id of ids.toSorted().reverse())
        await service.context.database.updateTable(table).set(change).where('id', '=', id).execute()
  }

  for (const name of [
    'Pat ends all sessions',
    'Kim deletes the shared one',
    'Pat leaves',
    'staff ban Pat',
    'staff remove Pat',
  ]) {
    test(`several sessions: ${name}`, async () => {
      const { database } = service.context
      const sessions = await database.selectFrom('sessions').select('id').where('userId', '=', cast.pat.id).execute()
      const ids = sessions.map(({ id }) => id)
      await turnRound('sessions', ids, [{ activeOrganizationId: null }, { activeOrganizationId: cast.shared }])
      check(await concurrently(service, await twoOf('sessions', ids), doing(name)), [200, undefined])
    })
  }

  for (const [name, taken, code] of [
    ['staff set the address of Pat', 'set', 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL'],
    ['Pat undoes a change', 'old', 'EMAIL_ALREADY_IN_USE'],
    ['Pat changes the address', 'new', 'EMAIL_ALREADY_IN_USE'],
  ] as const) {
    test(`an address that somebody else is just taking, before the sessions: ${name}`, async () => {
      const user = { name: 'Quick', email: `${taken}-${cast.pat.email}`, emailVerified: true }
      const takingIt: ConcurrentStep = {
        begin: (transaction) => createUser(createUnit(transaction, service.context, OPERATOR), user),
        finish: (transaction) => lockSessionsOfUser(transaction, cast.pat.id),
      }
      check(await concurrently(service, takingIt, doing(name)), [400, code])
    })
  }
})
