import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { onEachDatabase } from '../../../test/support/service.ts'
import type { OrganizationRow } from './tables.ts'

const row = (id: string, changes: Partial<OrganizationRow> = {}): OrganizationRow => ({
  id,
  name: 'Name',
  slug: id,
  logo: null,
  metadata: null,
  createdAt: 1,
  requireTwoFactor: 0,
  ...changes,
})

/** The contract of both engines. */
onEachDatabase('The database', (service) => {
  const database = () => service().context.database
  const insert = (organization: OrganizationRow) =>
    database().insertInto('organizations').values(organization).execute()
  const read = (id: string) =>
    database().selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst()

  test('The database returns text, numbers and nulls unchanged', async () => {
    const written = row('values', { name: 'Zoë 字 🗝️ \' " ; --', createdAt: 4_102_444_800_000, metadata: '{"a":1}' })
    await insert(written)
    assert.deepEqual({ ...(await read('values')) }, written)
  })

  test('The database returns the changed rows and their count', async () => {
    await insert(row('touched'))
    const { numUpdatedRows } = await database()
      .updateTable('organizations')
      .set({ name: 'New' })
      .where('id', '=', 'touched')
      .executeTakeFirstOrThrow()
    assert.equal(numUpdatedRows, 1n)
    const returned = await database()
      .deleteFrom('organizations')
      .where('id', '=', 'touched')
      .returning('name')
      .execute()
    assert.deepEqual(
      returned.map(({ name }) => name),
      ['New'],
    )
  })

  test('A read in SQL waits for no transaction, as one of the query builder', async () => {
    await database()
      .transaction()
      .execute(async (transaction) => {
        await transaction.insertInto('organizations').values(row('open')).execute()
        const { rows } = await sql<{ one: number }>`select 1 as one`.execute(database())
        assert.deepEqual({ ...rows[0] }, { one: 1 })
        assert.equal(await read('open'), undefined)
      })
  })

  test('The database rolls back a transaction that failed', async () => {
    await assert.rejects(
      database()
        .transaction()
        .execute(async (transaction) => {
          await transaction.insertInto('organizations').values(row('undone')).execute()
          throw new Error('no')
        }),
      /no/,
    )
    assert.equal(await read('undone'), undefined)
  })

  test('The database hides uncommitted rows from other connections', async () => {
    await database()
      .transaction()
      .execute(async (transaction) => {
        await transaction.insertInto('organizations').values(row('hidden')).execute()
        assert.equal(await read('hidden'), undefined)
        assert.ok(
          await transaction.selectFrom('organizations').select('id').where('id', '=', 'hidden').executeTakeFirst(),
        )
      })
    assert.ok(await read('hidden'))
  })

  test('The database runs concurrent transactions that lock the same row one after the other', async () => {
    await insert(row('counter', { name: '0' }))
    const increment = () =>
      database()
        .transaction()
        .execute(async (transaction) => {
          const { name } = await transaction
            .selectFrom('organizations')
            .select('name')
            .where('id', '=', 'counter')
            .forUpdate()
            .executeTakeFirstOrThrow()
          await transaction
            .updateTable('organizations')
            .set({ name: String(Number(name) + 1) })
            .where('id', '=', 'counter')
            .execute()
        })
    await Promise.all(Array.from({ length: 20 }, increment))
    assert.equal((await read('counter'))?.name, '20')
  })

  test('The database refuses a second row with the same unique value', async () => {
    await insert(row('first', { slug: 'same' }))
    await assert.rejects(insert(row('second', { slug: 'same' })), /unique constraint/i)
    const skipped = await database()
      .insertInto('organizations')
      .values(row('third', { slug: 'same' }))
      .onConflict((conflict) => conflict.column('slug').doNothing())
      .returningAll()
      .executeTakeFirst()
    assert.equal(skipped, undefined)
    await insert(row('fourth'))
  })

  test('The database deletes dependent rows, and refuses rows with a missing parent', async () => {
    await insert(row('parent'))
    const user = {
      id: 'user',
      name: 'U',
      email: 'u@example.com',
      emailVerified: 0,
      image: null,
      role: 'user' as const,
      banned: 0,
      banReason: null,
      properties: '{}',
      banExpires: null,
      twoFactorEnabled: 0,
      createdAt: 1,
      updatedAt: 1,
    }
    await database().insertInto('users').values(user).execute()
    const member = { id: 'child', userId: 'user', organizationId: 'parent', role: 'owner', createdAt: 1 } as const
    await database().insertInto('members').values(member).execute()
    await database().deleteFrom('organizations').where('id', '=', 'parent').execute()
    assert.equal(
      await database().selectFrom('members').selectAll().where('id', '=', 'child').executeTakeFirst(),
      undefined,
    )
    await assert.rejects(database().insertInto('members').values(member).execute(), /foreign key constraint/i)
  })

  test('The database returns distinct values', async () => {
    await insert(row('twin-one', { name: 'Twin' }))
    await insert(row('twin-two', { name: 'Twin' }))
    const names = await database()
      .selectFrom('organizations')
      .select('name')
      .distinct()
      .where('name', '=', 'Twin')
      .execute()
    assert.equal(names.length, 1)
  })

  test('The database never runs values as SQL', async () => {
    const hostile = "x'); DROP TABLE organizations; --"
    await insert(row(hostile))
    assert.equal((await read(hostile))?.id, hostile)
  })
})
