import { sql } from 'kysely'
import type { Context } from '../core/context.ts'
import { allowsStandby, findEncryptionProblem } from '../platform/config/postgres-url.ts'
import { listSilentTriggers } from '../platform/database/change-row-triggers.ts'
import { findPostgresDamage } from '../platform/database/find-damage.ts'
import { listRefusedTables, listTablesWithRowSecurity } from '../platform/database/own-tables.ts'
import { findConnectionProblem, listMissingLimits } from '../platform/database/postgres-checks.ts'
import { hasRowChanges } from '../platform/database/purge-row-changes.ts'
import {
  checkCollation,
  findUnfitDurability,
  findUnfitEncoding,
  findUnfitIsolation,
  findUnfitMessages,
} from '../platform/database/unfit-settings.ts'
import { type Check, checkFirst, requireNoProblem, requireWell } from './doctor-check.ts'
import { checksInOrder, requireUndamaged } from './doctor-database.ts'

export function postgresChecks(context: Context, url: string): Check[] {
  const damage = async () => requireUndamaged(await findPostgresDamage(context.database))
  return checkFirst(
    ['server', () => checkServer(context)],
    [
      ['encryption', async () => requireNoProblem(findEncryptionProblem(url, process.env), 'as DATABASE_URL asks')],
      ['settings', () => checkSettings(context)],
      ['connections', () => checkConnections(context, url)],
      ['time limits', () => checkLimits(url)],
      ...checkFirst(['damage', damage], checksInOrder(context, quickPostgresChecks(context))),
    ],
  )
}

/** These checks read only the system tables of PostgreSQL. */
export function quickPostgresChecks(context: Context): Check[] {
  return [
    ['change rows', () => checkChangeRows(context)],
    ['rights', () => checkRights(context)],
  ]
}

async function checkServer({ database }: Context): Promise<string> {
  await sql`select 1`.execute(database)
  return 'it responds'
}

async function checkSettings({ database }: Context): Promise<string> {
  for (const find of [findUnfitEncoding, findUnfitIsolation, findUnfitMessages, findUnfitDurability]) {
    const problem = await find(database)
    if (problem !== undefined) throw new Error(problem)
  }
  const collation = (await checkCollation(database)) ? 'unchanged' : 'not known'
  return `encoding, isolation, messages and durability fit; the version of the collation is ${collation}`
}

async function checkLimits(url: string): Promise<string> {
  const missing = await listMissingLimits(url)
  const advice = 'behind PgBouncer, set them on the database role (docs/high-availability.md, "PgBouncer")'
  return requireWell(
    missing.length === 0,
    'the server applies them',
    `the server has no ${missing.join(', ')}: ${advice}`,
  )
}

async function checkConnections({ config }: Context, url: string): Promise<string> {
  const problem = await findConnectionProblem(url, config.workerCount, allowsStandby(url))
  return requireNoProblem(problem, 'enough for this service')
}

async function checkRights({ database }: Context): Promise<string> {
  const refused = await listRefusedTables(database)
  if (refused.length > 0)
    throw new Error(
      `the role may not read or change ${refused.join(', ')}; grant select, insert, update, delete on all tables to it (docs/operations.md, "PostgreSQL")`,
    )
  const secured = await listTablesWithRowSecurity(database)
  return requireWell(
    secured.length === 0,
    'the role may read and change every table',
    `row-level security may hide rows of ${secured.join(', ')} from the role; alter table … disable row level security, or alter role … bypassrls`,
  )
}

async function checkChangeRows({ database }: Context): Promise<string> {
  if (!(await hasRowChanges(database))) return checkMissingChangeRows(database)
  const silent = await listSilentTriggers(database)
  const advice =
    'alter table … enable always trigger … for each, or restore those that are missing, and restart every process (docs/exact-sessions.md)'
  return requireWell(
    silent.length === 0,
    'every change writes them',
    `disabled or missing: ${silent.join(', ')}; ${advice}`,
  )
}

/** Migration 0020 creates change rows on PostgreSQL only, as other engines lack its snapshots. */
async function checkMissingChangeRows(database: Context['database']): Promise<string> {
  const { rows } = await sql<{ version: string }>`select version() as version`.execute(database)
  const isOtherEngine = !/^PostgreSQL (?!.*-YB-)/.test(rows[0]?.version ?? '')
  return requireWell(
    isOtherEngine,
    'none on this engine: each session is looked up',
    'the table rowChanges is missing: restore a backup into a new database (docs/backup.md)',
  )
}
