import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Kysely } from 'kysely'
import { createMigratedDatabase } from '../../../../test/support/migrated-database.ts'
import { query } from '../../../../test/support/postgres.ts'
import { openDatabase } from '../open.ts'
import type { Tables } from '../tables.ts'
import { verifyCopy } from './verify-copy.ts'

test('A copy with a row that the source does not have is refused', async (t) => {
  const [source, target] = [await open(t), await open(t)]
  await verifyCopy(source, target, () => {})
  await target.insertInto('emailLimits').values({ key: 'mallory@example.com', usedAt: 1 }).execute()
  const compare = verifyCopy(source, target, () => {})
  await assert.rejects(compare, /emailLimits has 0 rows in the source, and 1 in the target/)
})

test('A copy from PostgreSQL that lacks a row which an index of the source hides is refused', async (t) => {
  const { url, drop } = await createMigratedDatabase('postgres')
  t.after(drop)
  const insert = (key: string) => `insert into "emailLimits" (key, "usedAt") values ('${key}', 1)`
  await query(url, insert('ada@example.com'))
  // An index of one row becomes one of all rows, as an index in the order of another collation that hides rows.
  await query(url, `create index hiding on "emailLimits" (key) where key = 'ada@example.com'`)
  await query(url, insert('ben@example.com'))
  await query(url, `update pg_index set indpred = null where indexrelid = 'hiding'::regclass`)
  // PostgreSQL counts by an index alone after a vacuum.
  await query(url, 'vacuum "emailLimits"')
  for (const setting of ['enable_sort', 'enable_seqscan'])
    await query(url, `alter database ${new URL(url).pathname.slice(1)} set ${setting} = off`)
  const { database: source, close } = openDatabase({ engine: 'postgres', url }, () => {})
  t.after(close)
  const target = await open(t)
  await target.insertInto('emailLimits').values({ key: 'ada@example.com', usedAt: 1 }).execute()
  const compare = verifyCopy(source, target, () => {})
  await assert.rejects(compare, /emailLimits has 2 rows in the source, and 1 of them in its indexes\. Rebuild/)
})

async function open(t: TestContext): Promise<Kysely<Tables>> {
  const { url, drop } = await createMigratedDatabase('sqlite')
  const { database, close } = openDatabase({ engine: 'sqlite', path: url.slice('sqlite:'.length) }, () => {})
  t.after(async () => {
    await close()
    await drop()
  })
  return database
}
