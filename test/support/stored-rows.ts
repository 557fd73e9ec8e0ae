import type { Kysely } from 'kysely'
import type { Tables } from '../../server/platform/database/tables.ts'

/** The rows of all tables. Those of SQLite's search table are left out, because other tables have its contents. */
export async function listStoredRows(
  database: Kysely<Tables>,
  leftOutTables: (keyof Tables | 'writeTests')[] = [],
): Promise<object[]> {
  const leftOut: string[] = ['usersSearch', ...leftOutTables]
  const tables = (await database.introspection.getTables()).filter(({ name }) => !leftOut.includes(name))
  const select = ({ name }: { name: string }) =>
    database
      .selectFrom(name as 'users')
      .selectAll()
      .execute()
  return (await Promise.all(tables.map(select))).flat()
}
