import { statSync } from 'node:fs'
import { sql } from 'kysely'
import type { MeasuredService } from './service.ts'

/** The space that a database takes beside its rows. */
export interface DatabaseSample {
  connections: number
  walMebibytes: number
  databaseMebibytes: number
  /** Of the indexes of PostgreSQL, and of the whole file of SQLite. Bloat makes it grow. */
  bytesPerRow: number
  /** Dead rows of all rows on PostgreSQL, and free pages of all pages on SQLite. */
  unusedShare: number
}

export function sampleDatabase(service: MeasuredService): Promise<DatabaseSample> {
  return service.config.database.engine === 'sqlite'
    ? sampleSqlite(service, service.config.database.path)
    : samplePostgres(service)
}

async function sampleSqlite({ context }: MeasuredService, path: string): Promise<DatabaseSample> {
  const wal = statSync(`${path}-wal`, { throwIfNoEntry: false })
  const { rows } = await sql<{ bytes: number; unused: number; count: number }>`
    select page_count * page_size as bytes, freelist_count * 1.0 / page_count as unused,
      (select count(*) from users) + (select count(*) from sessions) + (select count(*) from "auditEvents")
        + (select count(*) from "knownDevices") + (select count(*) from outbox) as count
    from pragma_page_count, pragma_page_size, pragma_freelist_count`.execute(context.database)
  const { bytes, unused, count } = rows[0]!
  return {
    connections: 1,
    walMebibytes: (wal?.size ?? 0) / 2 ** 20,
    databaseMebibytes: bytes / 2 ** 20,
    bytesPerRow: bytes / count,
    unusedShare: unused,
  }
}

async function samplePostgres({ context }: MeasuredService): Promise<DatabaseSample> {
  const { rows } = await sql<Omit<DatabaseSample, 'unusedShare'> & { live: number; dead: number }>`
    select (select count(*) from pg_stat_activity where datname = current_database())::int as connections,
      (select sum(size) from pg_ls_waldir())::float / 1048576 as "walMebibytes",
      pg_database_size(current_database())::float / 1048576 as "databaseMebibytes",
      sum(pg_indexes_size(relid))::float / sum(n_live_tup)::float as "bytesPerRow",
      sum(n_live_tup)::float as live, sum(n_dead_tup)::float as dead
    from pg_stat_user_tables`.execute(context.database)
  const { live, dead, ...sample } = rows[0]!
  return { ...sample, unusedShare: dead / (live + dead) }
}
