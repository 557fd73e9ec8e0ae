import type { Kysely } from 'kysely'
import type { Tables } from '../../server/platform/database/tables.ts'

/** The rows of all tables. Those of SQLite's search table are left out, because other tables have its contents. */
export async function listStoredRows(database: Kysely<Tables>): Promise<object[]> {
  const tables = (await database.introspection.getTables()).filter(({ name }) => name !== 'usersSearch')
  const select = ({ name }: { name: string }) =>
    database
      .selectFrom(name as 'users')
      .selectAll()
      .execute()
  return (await Promise.all(tables.map(select))).flat()
}
