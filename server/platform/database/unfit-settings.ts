import { type Kysely, sql } from 'kysely'
import { isPostgres } from './is-postgres.ts'
import type { Tables } from './tables.ts'

/** @returns the problem of a PostgreSQL database that can't store every name, and its solution */
export async function findUnfitEncoding(database: Kysely<Tables>): Promise<string | undefined> {
  if (!isPostgres(database)) return undefined
  const encoding = await readSetting(database, 'server_encoding')
  if (encoding === 'UTF8') return undefined
  return `The encoding of the database is ${encoding}, which does not have every letter of a name. Create one with: create database … encoding 'UTF8' template template0`
}

/**
 * Transactions and connections set their isolation. Behind a pooler, single statements have the default of the database.
 * @returns the problem of a PostgreSQL database that would refuse some of them, and its solution
 */
export async function findUnfitIsolation(database: Kysely<Tables>): Promise<string | undefined> {
  const isolation = await readSetting(database, 'default_transaction_isolation')
  if (isolation === 'read committed') return undefined
  return `default_transaction_isolation is ${isolation}, which refuses concurrent changes: alter database … set default_transaction_isolation = 'read committed'`
}

/**
 * A warning says that a COMMIT stopped waiting for its standby. Connections ask for warnings. Behind a pooler, they have the
 * setting of the role.
 * @returns the problem of a PostgreSQL role that gets no warnings, and its solution
 */
export async function findUnfitMessages(database: Kysely<Tables>): Promise<string | undefined> {
  const lowest = await readSetting(database, 'client_min_messages')
  if (lowest !== 'error') return undefined
  return `client_min_messages is error, which hides that a COMMIT stopped waiting for its standby: alter role … set client_min_messages = 'warning'`
}

async function readSetting(database: Kysely<Tables>, name: string): Promise<string | undefined> {
  const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(database)
  return rows[0]?.value
}
