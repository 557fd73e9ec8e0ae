import { resolve } from 'node:path'
import { listHostUrls } from '../../platform/config/postgres-url.ts'
import { openPostgresSource } from './open-postgres-source.ts'
import { openSqliteSource } from './open-sqlite-source.ts'
import type { JsonRow, SourceConnection } from './source-connection.ts'
import { SourceError } from './source-error.ts'
import type { SourceApiKey, SourceOrganization, SourceTwoFactor, SourceUser } from './source-rows.ts'
import { selectCount, selectOrganizations, selectOtherApiKeys, selectTwoFactors, selectUsers } from './source-sql.ts'
import { assertBetterAuth, OTHER_SIGN_INS, OTHER_TABLES, type SourceColumns } from './source-tables.ts'

const USERS_PER_BATCH = 500
/** Fewer than users, because each organization has its members, invitations and API keys in the same batch. */
const ORGANIZATIONS_PER_BATCH = 50
/** A target on SQLite is locked during a batch: 400,000 members took 2 s, and changes got 503. */
const MEMBERS_PER_BATCH = 10_000
const API_KEYS_PER_BATCH = 500
const TWO_FACTORS_PER_BATCH = 500

/** A database of Better Auth, read at one moment. Every method throws a SourceError when it can't be read. */
export interface Source {
  countUsers(): Promise<number>
  countOrganizations(): Promise<number>
  readUsers(): AsyncGenerator<SourceUser[]>
  readTwoFactors(): AsyncGenerator<SourceTwoFactor[]>
  readOrganizations(): AsyncGenerator<SourceOrganization[]>
  /** The API keys that belong to no organization. */
  readOtherApiKeys(): AsyncGenerator<SourceApiKey[]>
  /** The tables and columns with values that an import does not read. */
  countOtherRows(): Promise<{ table: string; count: number; reason: string }[]>
  close(): Promise<void>
}

/** @param url `sqlite:FILE` or `postgres://…` @throws SourceError */
export async function openSource(url: string): Promise<Source> {
  const connection = await connect(url)
  try {
    const columns = await connection.readColumns()
    assertBetterAuth(columns)
    await assertReadable(connection, columns)
    return createSource(connection, columns)
  } catch (error) {
    await connection.close()
    throw error
  }
}

async function connect(url: string): Promise<SourceConnection> {
  if (/^sqlite:/i.test(url)) return openSqliteSource(resolve(url.slice('sqlite:'.length)))
  if (!/^postgres(?:ql)?:/i.test(url)) throw new SourceError('its address must begin with sqlite: or postgres://')
  assertOneHost(url)
  return openPostgresSource(url)
}

/** An address of a source may have every parameter of pg, unlike `DATABASE_URL`. @throws SourceError */
function assertOneHost(url: string): void {
  const [hostUrl = '', ...others] = listHostUrls(url)
  const address = URL.parse(hostUrl)
  if (!address)
    throw new SourceError(
      'its address is not an address such as postgres://user:password@host/database. Write special characters of the password in percent-encoding',
    )
  if (others.length > 0 || address.searchParams.get('host')?.includes(','))
    throw new SourceError('its address has several hosts: write only the primary')
}

/** Runs before the import: users must not be imported if their organizations can't be read. @throws SourceError */
async function assertReadable(connection: SourceConnection, columns: SourceColumns): Promise<void> {
  const { functions } = connection
  await connection.assertReadable(selectUsers(functions, columns))
  if (columns.has('organization')) await connection.assertReadable(selectOrganizations(functions, columns))
  if (columns.has('apikey')) await connection.assertReadable(selectOtherApiKeys(functions, columns))
  for (const { sql } of listOthers(columns)) await connection.assertReadable(sql)
}

/** @returns a statement for each table and column of which only the rows are counted */
function listOthers(columns: SourceColumns): { table: string; reason: string; sql: string }[] {
  const tables = Object.entries(OTHER_TABLES)
    .filter(([table]) => columns.has(table))
    .map(([table, reason]) => ({ table, reason, sql: selectCount(table) }))
  const signIns = Object.entries(OTHER_SIGN_INS)
    .filter(([column]) => columns.get('user')?.has(column))
    .map(([column, reason]) => ({ table: `user.${column}`, reason, sql: selectCount('user', column) }))
  return [...tables, ...signIns]
}

function createSource(connection: SourceConnection, columns: SourceColumns): Source {
  const { functions } = connection

  async function count(sql: string): Promise<number> {
    let rowCount = 0
    for await (const [row] of connection.readBatches(sql, 1)) rowCount = Number(row?.row)
    return rowCount
  }

  async function* read<Row>(sql: string, batchSize: number): AsyncGenerator<Row[]> {
    for await (const rows of connection.readBatches(sql, batchSize)) yield rows.map((row) => parse<Row>(row))
  }

  return {
    countUsers: () => count(selectCount('user')),
    countOrganizations: async () => (columns.has('organization') ? count(selectCount('organization')) : 0),
    readUsers: () => read(selectUsers(functions, columns), USERS_PER_BATCH),
    async *readTwoFactors() {
      if (columns.has('twoFactor')) yield* read(selectTwoFactors(functions, columns), TWO_FACTORS_PER_BATCH)
    },
    async *readOrganizations() {
      if (!columns.has('organization')) return
      const batches = read<SourceOrganization>(selectOrganizations(functions, columns), ORGANIZATIONS_PER_BATCH)
      for await (const organizations of batches) yield* splitByMembers(organizations)
    },
    async *readOtherApiKeys() {
      if (columns.has('apikey')) yield* read(selectOtherApiKeys(functions, columns), API_KEYS_PER_BATCH)
    },
    async countOtherRows() {
      const counted = []
      for (const { table, reason, sql } of listOthers(columns)) {
        const rowCount = await count(sql)
        if (rowCount > 0) counted.push({ table, count: rowCount, reason })
      }
      return counted
    },
    close: () => connection.close(),
  }
}

/** No organization is split: a batch ends with the one that reaches the limit. */
function* splitByMembers(organizations: SourceOrganization[]): Generator<SourceOrganization[]> {
  let batch: SourceOrganization[] = []
  let memberCount = 0
  for (const organization of organizations) {
    batch.push(organization)
    memberCount += organization.members.length
    if (memberCount < MEMBERS_PER_BATCH) continue
    yield batch
    batch = []
    memberCount = 0
  }
  if (batch.length > 0) yield batch
}

function parse<Row>({ row, ...lists }: JsonRow): Row {
  const parsed = Object.entries(lists).map(([name, list]) => [name, list === null ? [] : JSON.parse(list)])
  return { ...JSON.parse(row ?? 'null'), ...Object.fromEntries(parsed) } as Row
}
