import { type Kysely, type SqlBool, sql } from 'kysely'
import { isPostgres } from '../is-postgres.ts'
import { listColumns } from '../list-columns.ts'
import type { Tables } from '../tables.ts'
import { COPY_STEPS, type CopyStep } from './copy-steps.ts'

/** 500 rows of 20 columns stay below the 32,766 parameters of SQLite. */
const ROWS_PER_BATCH = 500

const ALL = sql<SqlBool>`true`

export type Value = string | number | null
export type Row = Record<string, Value>

/** The engines order keys differently. */
export function readBatch(
  database: Kysely<Tables>,
  { table, key, only }: CopyStep,
  after: Value[] | undefined,
): Promise<Row[]> {
  const keys = sql.join(key.map((column) => sql.ref(column)))
  return ofAnyTable(database)
    .selectFrom(table)
    .selectAll()
    .where(only ?? ALL)
    .$if(after !== undefined, (query) => query.where(sql<boolean>`(${keys}) > (${sql.join(after ?? [])})`))
    .$call((query) => key.reduce((ordered, column) => ordered.orderBy(column), query))
    .limit(ROWS_PER_BATCH)
    .execute()
}

/** SQLite only. Finds binary data, and numbers that JavaScript can't represent exactly. @returns the key as text */
export async function findUncopyable(
  database: Kysely<Tables>,
  { table, key, only }: CopyStep,
): Promise<{ key: string[]; isBinary: boolean } | undefined> {
  const columns = (await listColumns(database, table)).map((column) => sql.ref(column))
  const [smallest, largest] = [sql.lit(Number.MIN_SAFE_INTEGER), sql.lit(Number.MAX_SAFE_INTEGER)]
  const isBinary = columns.map((column) => sql`typeof(${column}) = 'blob'`)
  const isUnsafe = columns.map(
    (column) => sql`typeof(${column}) in ('integer', 'real') and ${column} not between ${smallest} and ${largest}`,
  )
  const row = await ofAnyTable(database)
    .selectFrom(table)
    .select(key.map((column) => sql<string>`cast(${sql.ref(column)} as text)`.as(column)))
    .select(sql<number>`${sql.join(isBinary, sql` or `)}`.as('isBinary'))
    .where(only ?? ALL)
    .where(sql<SqlBool>`(${sql.join([...isBinary, ...isUnsafe], sql` or `)})`)
    .limit(1)
    .executeTakeFirst()
  return row && { key: key.map((column) => row[column] as string), isBinary: row.isBinary === 1 }
}

export function readSameRows(database: Kysely<Tables>, { table, key }: CopyStep, rows: Row[]): Promise<Row[]> {
  return ofAnyTable(database)
    .selectFrom(table)
    .selectAll()
    .where((where) =>
      where.or(rows.map((row) => where.and(key.map((column) => where(column, '=', row[column] ?? null))))),
    )
    .execute()
}

export async function insertRows(database: Kysely<Tables>, { table }: CopyStep, rows: Row[]): Promise<void> {
  await ofAnyTable(database).insertInto(table).values(rows).execute()
}

export async function deleteRows(database: Kysely<Tables>, { table }: CopyStep): Promise<void> {
  await ofAnyTable(database).deleteFrom(table).execute()
}

/** On PostgreSQL, a count of `ctid` reads the table. `count(*)` may read an index alone, which may lack rows. */
export async function countRows(database: Kysely<Tables>, { table, only }: CopyStep): Promise<number> {
  const counted = isPostgres(database) ? sql<number>`count(ctid)` : sql<number>`count(*)`
  const { count } = await ofAnyTable(database)
    .selectFrom(table)
    .select(counted.as('count'))
    .where(only ?? ALL)
    .executeTakeFirstOrThrow()
  return count
}

export async function countSteps(database: Kysely<Tables>): Promise<number[]> {
  const counts: number[] = []
  for (const step of COPY_STEPS) counts.push(await countRows(database, step))
  return counts
}

export async function countAll(database: Kysely<Tables>): Promise<number> {
  return sum(await countSteps(database))
}

export function sum(counts: number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}

export function keyOf({ key }: CopyStep, row: Row): Value[] {
  return key.map((column) => row[column] ?? null)
}

/** A hash is shortened: some characters find the row, but do not help to guess the value. */
export function describeRow(step: CopyStep, row: Row): string {
  return describeKey(step, keyOf(step, row))
}

export function describeKey({ key }: CopyStep, values: Value[]): string {
  const texts = key.map((column, index) => {
    const text = String(values[index])
    return HASH_COLUMNS.has(column) ? `${text.slice(0, HASH_CHARACTERS_SHOWN)}…` : text
  })
  return texts.join(' ')
}

const HASH_COLUMNS = new Set(['codeHash', 'device', 'idHash', 'key'])
const HASH_CHARACTERS_SHOWN = 4

/** The copy knows no columns. */
function ofAnyTable(database: Kysely<Tables>): Kysely<Record<string, Row>> {
  return database as unknown as Kysely<Record<string, Row>>
}
