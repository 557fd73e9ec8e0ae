import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type Backfill, backfillInBatches } from './backfill.ts'
import { buildIndex } from './build-index.ts'
import { isPostgres } from './is-postgres.ts'
import type { Report } from './migration-lock.ts'
import type { Tables } from './tables.ts'

/** Each step finds out what is left to do, because the process may have been killed. */
export interface OnlineSteps {
  isPostgres: boolean
  /** @param definition the end of CREATE INDEX, from ON */
  createIndex(name: string, definition: RawBuilder<unknown>): Promise<void>
  createUniqueIndex(name: string, definition: RawBuilder<unknown>): Promise<void>
  backfill(backfill: Backfill): Promise<void>
}

/** @param database on SQLite, the transaction of the migration */
export function createOnlineSteps(database: Kysely<Tables>, report: Report): OnlineSteps {
  if (isPostgres(database)) {
    return {
      isPostgres: true,
      createIndex: (name, definition) => buildIndex(database, report, name, sql`index`, definition),
      createUniqueIndex: (name, definition) => buildIndex(database, report, name, sql`unique index`, definition),
      backfill: (backfill) => backfillInBatches(database, report, backfill),
    }
  }
  const create = async (kind: RawBuilder<unknown>, name: string, definition: RawBuilder<unknown>) => {
    report(`index ${name}`)
    await sql`create ${kind} ${sql.id(name)} ${definition}`.execute(database)
  }
  return {
    isPostgres: false,
    createIndex: (name, definition) => create(sql`index`, name, definition),
    createUniqueIndex: (name, definition) => create(sql`unique index`, name, definition),
    async backfill({ table, pending, set }) {
      report(`rows of ${table}`)
      await sql`update ${sql.table(table)} ${set} where ${pending}`.execute(database)
    },
  }
}
