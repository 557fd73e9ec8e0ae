import { DatabaseSync } from 'node:sqlite'
import { type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** SQLite result codes: CORRUPT, NOTADB. */
const DAMAGED_CODES = new Set([11, 26])

/**
 * Looks at every page for what a disk or a copy damaged.
 * @param address as of `addressForReading`
 * @returns what is damaged; undefined where nothing is
 */
export function findSqliteDamage(address: string): string | undefined {
  const connection = new DatabaseSync(address, { readOnly: true })
  try {
    const found = connection
      .prepare('pragma quick_check(3)')
      .all()
      .map((row) => String(row.quick_check))
    return found.join() === 'ok' ? undefined : found.join('; ').replace(/\s+/g, ' ')
  } catch (error) {
    const { errcode = 0, message } = error as Error & { errcode?: number }
    if (DAMAGED_CODES.has(errcode & 0xff)) return message
    throw error
  } finally {
    connection.close()
  }
}

/** PostgreSQL counts the pages whose checksum was wrong when they were read. @returns undefined where there is none */
export async function findPostgresDamage(database: Kysely<Tables>): Promise<string | undefined> {
  const { rows } = await sql<{ failures: number | null }>`
    select checksum_failures as failures from pg_stat_database where datname = current_database()`.execute(database)
  const failures = Number(rows[0]?.failures ?? 0)
  return failures > 0 ? `PostgreSQL counted ${failures} pages with a wrong checksum` : undefined
}
