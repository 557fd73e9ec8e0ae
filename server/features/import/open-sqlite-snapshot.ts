import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { addressForReading } from '../../platform/database/open-for-reading.ts'
import { toColumns } from './source-connection.ts'
import { SourceError } from './source-error.ts'
import { NOT_TEXTS, OTHER_SIGN_INS, OTHER_TABLES, SOURCE_TABLES, type SourceColumns } from './source-tables.ts'

/** Bytes of the header of a SQLite file. The last of them is its read version. */
const HEADER_BYTES = 20
const READ_VERSION_OF_WAL_MODE = 2
const TABLES = [...Object.keys(SOURCE_TABLES), ...Object.keys(OTHER_TABLES)]
const COLUMNS = Object.values(SOURCE_TABLES).flatMap(({ required, optional }) => [...required, ...optional])
const USUAL_NAMES = new Map(
  [...TABLES, ...COLUMNS, ...Object.keys(OTHER_SIGN_INS)].map((name) => [name.toLowerCase(), name]),
)

interface Snapshot {
  database: DatabaseSync
  columns: SourceColumns
}

/** @throws SourceError for binary data in a column of flags, times or numbers */
export function openSqliteSnapshot(path: string, lockMilliseconds: number): Snapshot {
  const snapshot = openSnapshot(path, lockMilliseconds)
  return closingOnError(snapshot.database, () => {
    for (const table of Object.keys(SOURCE_TABLES)) assertNoBinaryData(snapshot, table)
    return snapshot
  })
}

/** JSON functions of SQLite refuse binary data, or take it for JSON in its binary form. */
function assertNoBinaryData({ database, columns }: Snapshot, table: string): void {
  const checked = [...(columns.get(table) ?? [])].filter((column) => NOT_TEXTS.has(column))
  if (checked.length === 0) return
  const results = checked.map((column) => `max(typeof("${column}") = 'blob') as "${column}"`)
  const row = database.prepare(`select ${results.join(', ')} from "${table}"`).get() ?? {}
  const found = checked.find((column) => row[column] === 1)
  if (found !== undefined)
    throw new SourceError(
      `its table "${table}" has binary data (BLOB) in the column "${found}": write a number, a text or null there`,
    )
}

/** Other programs can write during a read transaction only in WAL mode, so a file in another mode is copied. */
function openSnapshot(path: string, lockMilliseconds: number): Snapshot {
  if (!isInWalMode(path)) return copyFile(`${pathToFileURL(path)}?mode=ro`, lockMilliseconds)
  return copyUnusedFile(path, lockMilliseconds) ?? readFile(path, lockMilliseconds)
}

function isInWalMode(path: string): boolean {
  const header = Buffer.alloc(HEADER_BYTES)
  const file = openSync(path, 'r')
  try {
    readSync(file, header)
  } finally {
    closeSync(file)
  }
  return header.at(-1) === READ_VERSION_OF_WAL_MODE
}

/**
 * A usual connection to a file in WAL mode leaves files beside it. A program of another user could then not write.
 * @returns undefined when a program uses the file, or has used it during the copy
 */
function copyUnusedFile(path: string, lockMilliseconds: number): Snapshot | undefined {
  const address = addressForReading(path)
  if (address === undefined || address === path) return undefined
  const { mtimeNs } = statSync(path, { bigint: true })
  const isUnchanged = () => addressForReading(path) === address && statSync(path, { bigint: true }).mtimeNs === mtimeNs
  try {
    const snapshot = copyFile(`${address}&mode=ro`, lockMilliseconds)
    if (isUnchanged()) return snapshot
    snapshot.database.close()
  } catch (error) {
    if (isUnchanged()) throw error
  }
  return undefined
}

function readFile(path: string, lockMilliseconds: number): Snapshot {
  const database = new DatabaseSync(path, { readOnly: true, timeout: lockMilliseconds })
  return closingOnError(database, () => {
    database.exec('begin')
    return { database, columns: listColumns(database, 'main') }
  })
}

/** SQLite deletes the file of a database without a name after its creation, so a crash leaves no copy of the hashes. */
function copyFile(address: string, lockMilliseconds: number): Snapshot {
  const database = new DatabaseSync('', { timeout: lockMilliseconds })
  return closingOnError(database, () => {
    database.prepare('attach ? as source').run(address)
    database.exec('begin')
    const columns = listColumns(database, 'source')
    for (const table of columns.keys()) copyTable(database, table)
    database.exec('commit; detach source')
    return { database, columns }
  })
}

/** An import needs only the number of rows of the other tables. */
function copyTable(database: DatabaseSync, table: string): void {
  if (Object.hasOwn(SOURCE_TABLES, table)) database.exec(`create table "${table}" as select * from source."${table}"`)
  else if (Object.hasOwn(OTHER_TABLES, table))
    database.exec(`create table "${table}" as select 1 as one from source."${table}"`)
}

function listColumns(database: DatabaseSync, schema: 'main' | 'source'): SourceColumns {
  // A virtual table needs a module that only its own program loads, and another view may be broken.
  const sql = `select m.name as "table", c.name as "column"
    from ${schema}.sqlite_schema m, pragma_table_xinfo(m.name, '${schema}') c
    where (m.type = 'table' and m.sql not like 'create virtual %'
      or m.type = 'view' and lower(m.name) in (select lower(value) from json_each(?)))`
  const rows = database.prepare(sql).all(JSON.stringify(TABLES)) as { table: string; column: string }[]
  return toColumns(rows.map(({ table, column }) => ({ table: toUsualName(table), column: toUsualName(column) })))
}

/** SQLite compares names without case: a user with the column "Banned" must not be imported without the ban. */
function toUsualName(name: string): string {
  return USUAL_NAMES.get(name.toLowerCase()) ?? name
}

function closingOnError<Result>(database: DatabaseSync, use: () => Result): Result {
  try {
    return use()
  } catch (error) {
    database.close()
    throw error
  }
}
