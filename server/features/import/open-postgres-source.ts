import { HostClient } from '../../platform/database/postgres-host-client.ts'
import { type JsonRow, type SourceConnection, toColumns } from './source-connection.ts'
import { SourceError } from './source-error.ts'
import { SOURCE_TABLES } from './source-tables.ts'

const CONNECT_MILLISECONDS = 10_000
const INSUFFICIENT_PRIVILEGE = '42501'

/**
 * The role may have the short time limits of a web server. PostgreSQL 16 and earlier have no transaction_timeout. With
 * row_security off, a policy that hides rows raises an error. Outside UTC, the offsets of old times have seconds.
 */
const BEGIN = `begin transaction isolation level repeatable read, read only;
  set local statement_timeout = '1h';
  set local idle_in_transaction_session_timeout = '1h';
  select set_config(name, '0', true) from pg_settings where name = 'transaction_timeout';
  set local row_security = off;
  set local time zone 'UTC'`

/** information_schema leaves out columns that the role may not read, and a user would be imported without the ban. */
const LIST_COLUMNS = `select c.relname as "table", a.attname as "column"
  from pg_catalog.pg_class c join pg_catalog.pg_attribute a on a.attrelid = c.oid
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and pg_catalog.pg_table_is_visible(c.oid)
    and a.attnum > 0 and not a.attisdropped`

/** PostgreSQL ignores schemas of the search_path that the role may not use. */
const LIST_HIDDEN_SCHEMAS = `select n.nspname as schema from pg_catalog.pg_namespace n
  where n.nspname in (
      select replace(trim(both ' "' from part), '$user', current_user)
      from unnest(string_to_array(current_setting('search_path'), ',')) part
    )
    and not has_schema_privilege(n.oid, 'usage')
    and exists (select from pg_catalog.pg_class c where c.relnamespace = n.oid and c.relname = any($1))`

/** @throws SourceError, whose message does not contain the URL, because that has a password */
export async function openPostgresSource(url: string): Promise<SourceConnection> {
  const client = await reading(async () => {
    const opened = new HostClient(url, { connectionTimeoutMillis: CONNECT_MILLISECONDS })
    // The next statement fails with the reason of a lost connection.
    opened.on('error', () => {})
    await opened.connect()
    await opened.query(BEGIN).catch((error) => {
      // The process would wait for the open connection.
      opened.end().catch(() => {})
      throw error
    })
    return opened
  })
  return {
    functions: { object: 'json_build_object', list: 'json_agg' },
    async readColumns() {
      await assertNoHiddenSchema(client)
      const { rows } = await reading(() => client.query<{ table: string; column: string }>(LIST_COLUMNS))
      return toColumns(rows)
    },
    async assertReadable(sql) {
      await reading(() => client.query(`explain ${sql}`))
    },
    async *readBatches(sql, batchSize) {
      await reading(() => client.query(`declare source_rows no scroll cursor for ${sql}`))
      while (true) {
        const { rows } = await reading(() => client.query<JsonRow>(`fetch ${batchSize} from source_rows`))
        if (rows.length === 0) break
        yield rows
      }
      await reading(() => client.query('close source_rows'))
    },
    close: () => client.end(),
  }
}

async function assertNoHiddenSchema(client: HostClient): Promise<void> {
  const names = Object.keys(SOURCE_TABLES)
  const { rows } = await reading(() => client.query<{ schema: string }>(LIST_HIDDEN_SCHEMAS, [names]))
  const [hidden] = rows
  if (hidden)
    throw new SourceError(
      `permission denied for schema ${hidden.schema}. Grant its role USAGE on the schema and SELECT on all of its tables, or use the role that owns them`,
    )
}

async function reading<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (cause) {
    throw new SourceError(describe(cause as NodeJS.ErrnoException), { cause })
  }
}

function describe({ message, code }: NodeJS.ErrnoException): string | undefined {
  if (/^SASL: .* password must be/.test(message)) return 'its address has no password. Put it into PGPASSWORD'
  if (code !== INSUFFICIENT_PRIVILEGE) return message || code
  return message.includes('row-level security')
    ? `${message}. Give its role BYPASSRLS, or use the role that owns the table`
    : `${message}. Grant its role SELECT on all tables of Better Auth, or use the role that owns them`
}
