import { type Kysely, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** @param key a unique column, or columns that are unique together. @returns the number of deleted rows */
export async function deleteSome<Table extends keyof Tables, Key extends object>(
  database: Kysely<Tables>,
  table: Table,
  key: (keyof Key & string) | (keyof Key & string)[],
  rows: SelectQueryBuilder<Tables, NoInfer<Table>, Key>,
  limit: number,
): Promise<number> {
  const keys = sql.join([key].flat().map(sql.ref))
  const { numDeletedRows } = await database
    // A separate query, because PostgreSQL may evaluate a condition of the deletion once for each row.
    .with('locked', () => rows.limit(limit).forUpdate().skipLocked())
    .deleteFrom<keyof Tables>(table)
    .where(sql<SqlBool>`(${keys}) in (select ${keys} from locked)`)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
