import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { OPERATOR } from '../../server/core/audit/actor.ts'
import { createUnit } from '../../server/core/in-transaction.ts'
import { lockSessionsOfUserForUpdate } from '../../server/core/sessions/lock-sessions.ts'
import { createUser } from '../../server/core/users/create-user.ts'
import { rotateSigningKey } from '../../server/features/tokens/rotate-signing-key.ts'
import { findNewestKey, insertKey, lockKeysForUpdate } from '../../server/features/tokens/store.ts'
import type { Answer } from '../support/client.ts'
import { type ConcurrentStep, concurrently } from '../support/concurrently.ts'
import { REQUESTS } from '../support/race-requests.ts'
import { createScene, type RaceScene } from '../support/race-scene.ts'
import { type Service, startService } from '../support/service.ts'
import { administrator, hashOnce } from '../support/users.ts'

/** Two transactions that lock the same rows, step by step: a wrong lock order in the second one causes a deadlock. */
describe('Lock order step by step', () => {
  let service: Service
  let passwordHash: string
  let scene: RaceScene
  before(async () => {
    service = await startService({ engine: 'postgres' })
    passwordHash = await hashOnce()
    await administrator(service)
  })
  beforeEach(async () => {
    scene = await createScene(service, passwordHash, ['boss', 'vice', 'pat', 'kim'])
  })
  after(() => service.stop())

  const send = (name: string) => async (): Promise<Answer> => {
    const request = REQUESTS[name]
    assert.ok(request, name)
    return request(scene, service)
  }
  const check = ({ status, body }: Answer, expected: [number, string | undefined]) =>
    assert.deepEqual([status, body?.code], expected, JSON.stringify(body))

  /** Locks two rows in the order of their ids, where the physical order of the rows is the reverse. */
  async function lockReversedPair(table: 'sessions', ids: string[]): Promise<ConcurrentStep> {
    const { rows } = await sql<{ first: string; second: string }>`
      select first.id as first, second.id as second from ${sql.table(table)} as first, ${sql.table(table)} as second
      where first.id < second.id and first.ctid > second.ctid and first.id in (${sql.join(ids)}) and second.id in (${sql.join(ids)})
    `.execute(service.context.database)
    const [pair] = rows
    assert.ok(pair, 'two rows are in reverse order')
    const locking =
      (id: string): ConcurrentStep['begin'] =>
      (transaction) =>
        transaction.selectFrom(table).select('id').where('id', '=', id).forUpdate().execute()
    return { begin: locking(pair.first), finish: locking(pair.second) }
  }

  /** Rewrites rows in reverse order, so that neither a table scan nor an index scan finds them in the order of ids. */
  async function reverseRows(table: 'sessions', ids: string[], changes: object[]): Promise<void> {
    for (const change of changes)
      for (const id of ids.toSorted().reverse())
        await service.context.database.updateTable(table).set(change).where('id', '=', id).execute()
  }

  for (const name of [
    'Pat revokes all sessions',
    'Kim deletes the shared organization',
    'Pat leaves the shared organization',
    'Kim removes Pat',
    'staff ban Pat',
    'staff remove Pat',
  ]) {
    test(`A request that locks several sessions locks them in the order of their ids: ${name}`, async () => {
      const { database } = service.context
      const sessions = await database.selectFrom('sessions').select('id').where('userId', '=', scene.pat.id).execute()
      const ids = sessions.map(({ id }) => id)
      await reverseRows('sessions', ids, [{ activeOrganizationId: null }, { activeOrganizationId: scene.shared }])
      check(await concurrently(service, await lockReversedPair('sessions', ids), send(name)), [200, undefined])
    })
  }

  for (const [name, taken, code] of [
    ['staff set the email address of Pat', 'set', 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL'],
    ['Pat undoes the email change', 'old', 'EMAIL_ALREADY_IN_USE'],
    ['Pat verifies the new email address', 'new', 'EMAIL_ALREADY_IN_USE'],
  ] as const) {
    test(`A request that sets an email address locks the address before the sessions: ${name}`, async () => {
      const user = {
        name: 'Quick',
        email: `${taken}-${scene.pat.email}`,
        emailVerified: true,
        origin: 'staff',
      } as const
      const concurrentStep: ConcurrentStep = {
        begin: (transaction) => createUser(createUnit(transaction, service.context, OPERATOR), user),
        finish: (transaction) => lockSessionsOfUserForUpdate(transaction, scene.pat.id),
      }
      check(await concurrently(service, concurrentStep, send(name)), [400, code])
    })
  }

  test('A rotation locks the signing keys before it inserts one', async () => {
    const { context } = service
    await rotateSigningKey(context)
    service.advance(86_400_000)
    const newest = await findNewestKey(context.database)
    assert.ok(newest)
    const key = { ...newest, id: 'key_of_a_withdrawal', generation: newest.generation + 1, retiresAt: context.now() }
    const withdrawal: ConcurrentStep = {
      begin: (transaction) => lockKeysForUpdate(transaction),
      finish: (transaction) => insertKey(transaction, key),
    }
    const { isNew, next } = await concurrently(service, withdrawal, () => rotateSigningKey(context))
    assert.equal(isNew, true)
    assert.notEqual(next.id, key.id)
  })
})
