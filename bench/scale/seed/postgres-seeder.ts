import pg from 'pg'
import type { Seeder } from './engines.ts'

/** Indexes, and the constraints that have one or refer to one. */
interface Part {
  drop: string
  create: string
}

/** Foreign keys first, because they need the primary keys. */
const LIST_PARTS = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create
  from pg_constraint where contype in ('f', 'p', 'u')
    and (conrelid::regclass::text = any(select format('%I', name) from unnest($1::text[]) name)
      or confrelid::regclass::text = any(select format('%I', name) from unnest($1::text[]) name)) order by contype = 'f' desc, conname`
const LIST_INDEXES = `
  select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as create
  from pg_index where indrelid::regclass::text = any(select format('%I', name) from unnest($1::text[]) name)
    and not exists (select from pg_constraint where conindid = indexrelid) order by indexrelid::regclass::text`

export async function openPostgresSeeder(url: string, tables: string[]): Promise<Seeder> {
  const client = new pg.Client(url)
  await client.connect()
  // Replica: no triggers for the rows.
  await client.query(`set session_replication_role = replica; set synchronous_commit = off; set work_mem = '256MB';
    set maintenance_work_mem = '512MB';
    create function token_hash(text) returns text language sql immutable strict parallel safe as $$
      select rtrim(translate(encode(sha256(convert_to($1, 'UTF8')), 'base64'), '+/', '-_'), '=') $$`)
  const constraints = (await client.query<Part>(LIST_PARTS, [tables])).rows
  const indexes = (await client.query<Part>(LIST_INDEXES, [tables])).rows
  await client.query('begin')
  for (const { drop } of [...constraints, ...indexes]) await client.query(drop)
  // Rows of a table that was truncated in the same transaction need no WAL (with wal_level=minimal).
  await client.query(`truncate ${tables.map((table) => `"${table}"`).join(', ')}`)
  return {
    run: async (statement) => void (await client.query(statement)),
    async insert(table, rows) {
      const names = `"${Object.keys(rows[0] ?? {}).join('", "')}"`
      const source = `json_populate_recordset(null::"${table}", $1)`
      await client.query(`insert into "${table}" (${names}) select ${names} from ${source}`, [JSON.stringify(rows)])
    },
    async finish() {
      for (const { create } of [...indexes, ...constraints.toReversed()]) await client.query(create)
      await client.query('commit')
      // As autovacuum would do within minutes of so many inserts.
      for (const statement of ['drop function token_hash', 'vacuum (freeze, analyze)', 'checkpoint'])
        await client.query(statement)
      await client.end()
    },
  }
}
