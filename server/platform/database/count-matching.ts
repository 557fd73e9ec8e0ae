import type { SelectQueryBuilder } from 'kysely'
import type { Tables } from './tables.ts'

/** @param rows has no limit, because the count would ignore it */
export async function countMatching<Table extends keyof Tables>(
  rows: SelectQueryBuilder<Tables, Table, object>,
): Promise<number> {
  const { count } = await rows
    .clearSelect()
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
