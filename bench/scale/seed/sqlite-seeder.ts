import { DatabaseSync } from 'node:sqlite'
import { hashToken } from '../../../server/platform/crypto/tokens.ts'
import type { Seeder } from './engines.ts'

export async function openSqliteSeeder(path: string): Promise<Seeder> {
  const connection = new DatabaseSync(path)
  // Without WAL, each page is written once. An interrupted seed is thrown away.
  connection.exec(`pragma journal_mode = memory; pragma synchronous = off; pragma locking_mode = exclusive;
    pragma foreign_keys = off; pragma cache_size = -1000000; pragma threads = 2`)
  connection.function('token_hash', { deterministic: true }, (token) => hashToken(String(token)))
  const indexes = connection
    .prepare(`select name, sql from sqlite_schema where type = 'index' and sql is not null`)
    .all() as { name: string; sql: string }[]
  for (const { name } of indexes) connection.exec(`drop index "${name}"`)
  return {
    run: async (statement) => connection.exec(statement),
    async insert(table, rows) {
      const names = Object.keys(rows[0] ?? {})
      const statement = connection.prepare(
        `insert into "${table}" ("${names.join('", "')}") values (${names.map(() => '?').join()})`,
      )
      connection.exec('begin')
      for (const row of rows) statement.run(...Object.values(row))
      connection.exec('commit')
    },
    async finish() {
      for (const { sql } of indexes) connection.exec(sql)
      connection.exec('pragma locking_mode = normal; pragma journal_mode = wal')
      connection.close()
    },
  }
}
