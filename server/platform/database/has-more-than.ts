interface Query {
  offset(count: number): Query
  limit(count: number): Query
  executeTakeFirst(): Promise<unknown>
}

/** The query of a large index needs `between` and `orderBy`: with `=`, PostgreSQL may read every row. */
export async function hasMoreThan(query: Query, count: number): Promise<boolean> {
  return (await query.offset(count).limit(1).executeTakeFirst()) !== undefined
}
