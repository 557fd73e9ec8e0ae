import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { Config } from '../../../server/platform/config/config.ts'
import { hashToken } from '../../../server/platform/crypto/tokens.ts'

/** A connection for seeding: fast, and with the functions that the statements call. */
export interface Seeder {
  run(statement: string): Promise<void>
  /** Inserts rows as one JSON parameter. */
  insert(table: string, rows: Record<string, unknown>[]): Promise<void>
  close(): Promise<void>
}

export function openSeeder(database: Config['database']): Promise<Seeder> {
  return database.engine === 'sqlite' ? openSqlite(database.path) : openPostgres(database.url)
}

async function openSqlite(path: string): Promise<Seeder> {
  const connection = new DatabaseSync(path)
  // The rows come in the order that the foreign keys need, but checking millions of them takes minutes.
  connection.exec(`pragma synchronous = off; pragma foreign_keys = off; pragma cache_size = -1000000;
    pragma temp_store = memory`)
  connection.function('token_hash', { deterministic: true }, (token) => hashToken(String(token)))
  connection.function('lpad', { deterministic: true }, (text, length, fill) =>
    String(text).padStart(Number(length), String(fill)),
  )
  return {
    run: async (statement) => connection.exec(statement),
    async insert(table, rows) {
      const names = Object.keys(rows[0] ?? {})
      const values = names.map((name) => `value ->> '${name}'`)
      connection
        .prepare(`insert into "${table}" (${quote(names)}) select ${values} from json_each(?)`)
        .run(JSON.stringify(rows))
    },
    async close() {
      connection.exec('pragma wal_checkpoint(truncate)')
      connection.close()
    },
  }
}

async function openPostgres(url: string): Promise<Seeder> {
  const client = new pg.Client(url)
  await client.connect()
  // Replica: no check of foreign keys. The seeded tables have triggers on deletion only.
  await client.query(`set session_replication_role = replica; set synchronous_commit = off; set work_mem = '256MB';
    create function token_hash(text) returns text language sql immutable strict parallel safe as $$
      select rtrim(translate(encode(sha256(convert_to($1, 'UTF8')), 'base64'), '+/', '-_'), '=') $$`)
  return {
    run: async (statement) => void (await client.query(statement)),
    async insert(table, rows) {
      const names = quote(Object.keys(rows[0] ?? {}))
      const source = `json_populate_recordset(null::"${table}", $1)`
      await client.query(`insert into "${table}" (${names}) select ${names} from ${source}`, [JSON.stringify(rows)])
    },
    async close() {
      // As autovacuum would do within minutes of so many inserts.
      for (const statement of ['drop function token_hash', 'vacuum analyze', 'checkpoint'])
        await client.query(statement)
      await client.end()
    },
  }
}

function quote(names: string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}
