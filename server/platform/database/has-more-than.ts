/** The part of a Kysely query that `hasMoreThan` uses. */
interface Query {
  offset(count: number): Query
  limit(count: number): Query
  executeTakeFirst(): Promise<unknown>
}

/**
 * Whether a query finds more rows than this number. With `=` in the condition of a large index, PostgreSQL ignores the
 * order and may read every row until it finds enough: such a query needs `between` and `orderBy`.
 */
export async function hasMoreThan(query: Query, count: number): Promise<boolean> {
  return (await query.offset(count).limit(1).executeTakeFirst()) !== undefined
}
