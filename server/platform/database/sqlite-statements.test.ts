import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { StatementCache } from './sqlite-statements.ts'

test('A statement is prepared once, and again after 500 others, so that the memory of the cache has a limit', (t) => {
  const connection = new DatabaseSync(':memory:')
  t.after(() => connection.close())
  const statements = new StatementCache(connection)
  const prepare = t.mock.method(connection, 'prepare')
  const run = (number: number) => statements.run(CompiledQuery.raw(`select ${number} as number`)).rows
  for (let number = 1; number <= 500; number += 1) run(number)
  assert.deepEqual(run(1), [{ __proto__: null, number: 1 }])
  assert.equal(prepare.mock.callCount(), 500)
  run(501)
  run(1)
  assert.equal(prepare.mock.callCount(), 502)
  run(501)
  assert.equal(prepare.mock.callCount(), 502)
})
