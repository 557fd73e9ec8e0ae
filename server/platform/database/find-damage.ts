import { DatabaseSync } from 'node:sqlite'
import { type Kysely, sql } from 'kysely'
import { addressForReading } from './open-for-reading.ts'
import { isDamaged } from './sqlite-statements.ts'
import type { Tables } from './tables.ts'

/** @param path of an existing file */
export function findSqliteDamage(path: string): string | undefined {
  const address = addressForReading(path) ?? path
  const damage = checkPages(address)
  // A service that has started during the check changes pages, and the address.
  return damage === undefined || addressForReading(path) === address ? damage : checkPages(path)
}

function checkPages(address: string): string | undefined {
  const connection = new DatabaseSync(address, { readOnly: true })
  try {
    const found = connection
      .prepare('pragma quick_check(3)')
      .all()
      .map((row) => String(row.quick_check))
    return found.join() === 'ok' ? undefined : found.join('; ').replace(/\s+/g, ' ')
  } catch (error) {
    if (isDamaged(error)) return (error as Error).message
    throw error
  } finally {
    connection.close()
  }
}

export async function findPostgresDamage(database: Kysely<Tables>): Promise<string | undefined> {
  const { rows } = await sql<{ failures: number | null }>`
    select checksum_failures as failures from pg_stat_database where datname = current_database()`.execute(database)
  const failures = Number(rows[0]?.failures ?? 0)
  return failures > 0 ? `PostgreSQL counted ${failures} pages with a wrong checksum` : undefined
}
