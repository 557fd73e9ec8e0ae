import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

export type Database = DatabaseSync | pg.Pool

/** The settings that Better Auth's documents show for each engine. */
export function openDatabase(url: string): Database {
  if (!url.startsWith('sqlite:')) return new pg.Pool({ connectionString: url })
  const database = new DatabaseSync(url.slice('sqlite:'.length))
  // WAL mode makes commits as fast as those of Accounts.
  database.exec('PRAGMA journal_mode = WAL')
  return database
}
