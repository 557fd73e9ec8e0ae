import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import type { TestDatabase } from '../../../test/support/postgres.ts'
import { createTestDatabase } from '../../../test/support/test-database.ts'
import { PostgresHosts } from './postgres-hosts.ts'
import { DeadlinePool } from './postgres-pool.ts'
import { PostgresStatements } from './postgres-statements.ts'
import { DatabaseUnavailable } from './unavailable.ts'

const LIMITS = { connectMilliseconds: 5_000, answerMilliseconds: 5_000 }
const SERVER_LIMITS = { statement_timeout: 4_000, lock_timeout: 4_000, idle_in_transaction_session_timeout: 4_000 }
const NAME = 'select name from guests where id = $1'
const EVERYTHING = 'select * from guests where id = $1'

describe('Statements that repeat on PostgreSQL', () => {
  let testDatabase: TestDatabase
  let pool: DeadlinePool

  before(async () => {
    testDatabase = await createTestDatabase('postgres')
  })
  // A pool of its own, because the statements that a connection has prepared depend on the earlier tests.
  beforeEach(async () => {
    pool = new DeadlinePool({
      ...LIMITS,
      serverMilliseconds: SERVER_LIMITS,
      hosts: new PostgresHosts(testDatabase.url),
      connectionsMaximum: 1,
      onConnectionLost: () => {},
      preparesStatements: true,
    })
    await pool.query('drop table if exists guests')
    await pool.query(`create table guests (id integer primary key, name text); insert into guests values (1, 'Ada')`)
  })
  afterEach(async () => {
    await pool?.end()
  })
  after(async () => {
    await testDatabase?.drop()
  })

  async function repeat(statement: string): Promise<void> {
    for (let count = 0; count < 20; count += 1) assert.equal((await pool.query(statement, [1])).rows[0].name, 'Ada')
  }

  const listPrepared = async () =>
    (await pool.query('select statement from pg_prepared_statements')).rows.map(({ statement }) => statement)

  test('Repeated statements are prepared, except those that return every column or have no parameters', async () => {
    await repeat(NAME)
    await repeat(EVERYTHING)
    await pool.query('select count(*) from guests where id < $1', [5])
    for (let count = 0; count < 20; count += 1) await pool.query('select count(*) from guests')
    assert.deepEqual(await listPrepared(), [NAME])
  })

  test('Prepared statements succeed after a migration that adds a column, also in a transaction that has begun', async () => {
    await repeat(NAME)
    await repeat(EVERYTHING)
    await pool.query('begin')
    await pool.query('alter table guests add column age integer')
    await repeat(NAME)
    await repeat(EVERYTHING)
    await pool.query('commit')
    await repeat(NAME)
  })

  test('A prepared statement fails once on a connection, as unavailable, after a migration that changes the type of a column', async () => {
    await repeat(NAME)
    await pool.query('alter table guests alter column name type varchar(100)')
    await assert.rejects(pool.query(NAME, [1]), DatabaseUnavailable)
    await repeat(NAME)
  })
})

test('PostgresStatements names a hundred statements, each after ten uses', () => {
  const statements = new PostgresStatements()
  const use = (text: string, times: number) => Array.from({ length: times }, () => statements.nameOf(text))
  assert.deepEqual(new Set(use('select 1', 10)), new Set([undefined]))
  const name = statements.nameOf('select 1')
  assert.ok(name)
  assert.equal(statements.nameOf('select 1'), name)
  const names = Array.from({ length: 200 }, (_nothing, index) => use(`select ${index + 2}`, 11).at(-1))
  assert.equal(new Set([name, ...names.filter((other) => other !== undefined)]).size, 100)
})

test('PostgresStatements forgets rare statements, because the number of their texts has no limit', () => {
  const statements = new PostgresStatements()
  for (let index = 0; index < 5_000; index += 1) statements.nameOf(`select ${index}`)
  assert.ok((Reflect.get(statements, 'uses') as Map<string, number>).size <= 1_000)
})
