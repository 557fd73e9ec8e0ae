import { type Kysely, sql } from 'kysely'
import { listAppliedMigrations } from './applied-migrations.ts'
import { isPostgres } from './is-postgres.ts'
import { MIGRATIONS } from './migration.ts'
import type { Tables } from './tables.ts'

/** The message contains the solution. */
export class WrongDatabaseError extends Error {
  override name = 'WrongDatabaseError'
}

/** @returns a table when the database has tables, and none of them is ours */
export async function findOtherTable(database: Kysely<Tables>): Promise<string | undefined> {
  return (await isOfAccounts(database)) ? undefined : (await listTables(database))[0]
}

/** Migrations would mix our tables into those of another program. @throws WrongDatabaseError */
export async function assertNoOtherProgram(database: Kysely<Tables>): Promise<void> {
  const table = await findOtherTable(database)
  if (table !== undefined)
    throw new WrongDatabaseError(
      `DATABASE_URL names a database of another program: it has the table ${table}, and none of Accounts. Set DATABASE_URL to the database of Accounts, or to a new, empty one. To bring users from Better Auth, use npm run accounts -- import.`,
    )
}

/** @throws WrongDatabaseError for an empty database, and for one of another program */
export async function assertOfAccounts(database: Kysely<Tables>): Promise<void> {
  await assertNoOtherProgram(database)
  if (!(await isOfAccounts(database)))
    throw new WrongDatabaseError(
      'DATABASE_URL names an empty database. Set it to the database of Accounts; npm start creates the tables of a new one.',
    )
}

async function isOfAccounts(database: Kysely<Tables>): Promise<boolean> {
  return (await listAppliedMigrations(database)).some(({ name }) => name in MIGRATIONS)
}

/** PostgreSQL shows no tables of a schema that the role may not use. @throws WrongDatabaseError */
export async function listTables(database: Kysely<Tables>): Promise<string[]> {
  if (!isPostgres(database))
    return (await database.introspection.getTables()).filter(({ isView }) => !isView).map(({ name }) => name)
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = (select oid from pg_namespace where nspname = current_schema())
      and relkind in ('r', 'p', 'f') and relname not in ('kysely_migration', 'kysely_migration_lock')
      and not exists (
        select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e'
      )
    order by relname`.execute(database)
  if (rows.length === 0) await assertSchema(database)
  return rows.map(({ name }) => name)
}

async function assertSchema(database: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ schema: string | null; role: string; searchPath: string }>`
    select current_schema() as schema, quote_ident(current_user) as role, current_setting('search_path') as "searchPath"
  `.execute(database)
  const [found] = rows
  if (found === undefined || found.schema !== null) return
  throw new WrongDatabaseError(
    `The role ${found.role} may use no schema of its search_path (${found.searchPath}): as the owner of the schema, run grant usage on schema … to ${found.role}. If the schema is missing, create it, or correct search_path.`,
  )
}

/** PostgreSQL only. @returns the tables that the role of the connection may not read or change */
export async function listRefusedTables(database: Kysely<Tables>): Promise<string[]> {
  const names = await listTables(database)
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) as name
    where not (
      has_table_privilege(quote_ident(name), 'select') and has_table_privilege(quote_ident(name), 'insert')
      and has_table_privilege(quote_ident(name), 'update') and has_table_privilege(quote_ident(name), 'delete')
    )
    order by name`.execute(database)
  return rows.map(({ name }) => name)
}

/** PostgreSQL only. Row-level security may hide any row from the role of the connection, and refuse any change. */
export async function listTablesWithRowSecurity(database: Kysely<Tables>): Promise<string[]> {
  const names = await listTables(database)
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) as name
    join pg_class on pg_class.oid = to_regclass(quote_ident(name))
    join pg_roles on rolname = current_user
    where relrowsecurity and not rolsuper and not rolbypassrls
      and (relforcerowsecurity or not pg_has_role(current_user, relowner, 'usage'))
    order by name`.execute(database)
  return rows.map(({ name }) => name)
}
