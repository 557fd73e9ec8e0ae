import { type Kysely, sql } from 'kysely'
import { isPostgres } from './is-postgres.ts'
import type { Tables } from './tables.ts'

export async function findUnfitEncoding(database: Kysely<Tables>): Promise<string | undefined> {
  if (!isPostgres(database)) return undefined
  const encoding = await readSetting(database, 'server_encoding')
  if (encoding === 'UTF8') return undefined
  return `The encoding of the database is ${encoding}, which does not have every letter of a name. Create one with: create database … encoding 'UTF8' template template0`
}

/** Transactions and connections set their isolation. Behind a pooler, single statements have the default. */
export async function findUnfitIsolation(database: Kysely<Tables>): Promise<string | undefined> {
  const isolation = await readSetting(database, 'default_transaction_isolation')
  if (isolation === 'read committed') return undefined
  return `default_transaction_isolation is ${isolation}, which refuses concurrent changes: alter database … set default_transaction_isolation = 'read committed'`
}

/** A warning tells that a COMMIT stopped waiting for its standby. Behind a pooler, the role decides on warnings. */
export async function findUnfitMessages(database: Kysely<Tables>): Promise<string | undefined> {
  const lowest = await readSetting(database, 'client_min_messages')
  if (lowest !== 'error') return undefined
  return `client_min_messages is error, which hides that a COMMIT stopped waiting for its standby: alter role … set client_min_messages = 'warning'`
}

/** Other engines do not have these settings. */
const DURABLE_SETTINGS = [
  ['fsync', 'a crash of its machine loses changes and may damage the database', 'alter system set fsync = on'],
  [
    'full_page_writes',
    'a crash of its machine may damage the database, except on a file system that writes pages whole',
    'alter system set full_page_writes = on',
  ],
  [
    'synchronous_commit',
    'a crash of the server loses changes of its last second that were answered with 200',
    'alter database … set synchronous_commit = on, and alter role … if it is set there',
  ],
] as const

export async function findUnfitDurability(database: Kysely<Tables>): Promise<string | undefined> {
  for (const [name, effect, solution] of DURABLE_SETTINGS)
    if ((await readSetting(database, name)) === 'off') return `${name} is off: ${effect}: ${solution}`
  return undefined
}

/**
 * After an upgrade of the operating system, indexes may not find their rows, and accept an email address twice.
 * @returns false if the versions can't be compared: PostgreSQL 14, musl and the collation C have none. @throws Error
 */
export async function checkCollation(database: Kysely<Tables>): Promise<boolean> {
  const { name, stored, actual } = await readCollationVersions(database)
  if (!stored || !actual) return false
  if (stored === actual) return true
  throw new Error(
    `the indexes were sorted by version ${stored} of the collation, and the server has ${actual}: stop the service, reindex database ${name}, then alter database ${name} refresh collation version`,
  )
}

interface CollationVersions {
  name?: string
  stored?: string | null
  actual?: string | null
}

async function readCollationVersions(database: Kysely<Tables>): Promise<CollationVersions> {
  const known = await sql<{ isKnown: boolean }>`
    select to_regprocedure('pg_database_collation_actual_version(oid)') is not null as "isKnown"`.execute(database)
  if (!known.rows[0]?.isKnown) return {}
  const { rows } = await sql<CollationVersions>`
    select quote_ident(datname) as name, datcollversion as stored, pg_database_collation_actual_version(oid) as actual
    from pg_database where datname = current_database()`.execute(database)
  return rows[0] ?? {}
}

/** @returns null for a setting that the engine does not have */
async function readSetting(database: Kysely<Tables>, name: string): Promise<string | null | undefined> {
  const { rows } = await sql<{ value: string | null }>`select current_setting(${name}, true) as value`.execute(database)
  return rows[0]?.value
}
