import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Kysely } from 'kysely'
import { createMigratedDatabase } from '../../../../test/support/migrated-database.ts'
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

async function open(t: TestContext): Promise<Kysely<Tables>> {
  const { url, drop } = await createMigratedDatabase('sqlite')
  const { database, close } = openDatabase({ engine: 'sqlite', path: url.slice('sqlite:'.length) }, () => {})
  t.after(async () => {
    await close()
    await drop()
  })
  return database
}
