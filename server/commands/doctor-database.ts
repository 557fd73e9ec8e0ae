import { existsSync, statSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Kysely, sql } from 'kysely'
import { findLatestEventTime } from '../core/audit/latest-event-time.ts'
import type { Context } from '../core/context.ts'
import { countStaffWithoutSecondStep } from '../core/users/count-users.ts'
import { hasAdmin } from '../core/users/store.ts'
import { assertNotSwapped, assertSecretFits, REPETITIVE_SECRET } from '../features/secret-rotation/register-secret.ts'
import { canDecryptSigningKeys } from '../features/tokens/signing-keys.ts'
import { allowsStandby } from '../platform/config/postgres-url.ts'
import { isRepetitive } from '../platform/crypto/keyring.ts'
import { findSecretFileProblem, LOST_SECRET_ADVICE } from '../platform/crypto/secret-file.ts'
import { listAppliedMigrations } from '../platform/database/applied-migrations.ts'
import { listSilentTriggers } from '../platform/database/change-row-triggers.ts'
import { readClockDifference } from '../platform/database/clock-difference.ts'
import { assertNoCopy } from '../platform/database/copy/copy-state.ts'
import { COPY_STEPS } from '../platform/database/copy/copy-steps.ts'
import { findPostgresDamage, findSqliteDamage } from '../platform/database/find-damage.ts'
import { readMigrationState } from '../platform/database/migrate.ts'
import { MIGRATIONS } from '../platform/database/migration.ts'
import { addressForReading } from '../platform/database/open-for-reading.ts'
import { assertNoOtherProgram, listRefusedTables, listTables } from '../platform/database/own-tables.ts'
import { findConnectionProblem, listMissingLimits } from '../platform/database/postgres.ts'
import { SqliteReaderDialect } from '../platform/database/sqlite-reader.ts'
import type { Tables } from '../platform/database/tables.ts'
import { findUnfitEncoding, findUnfitIsolation, findUnfitMessages } from '../platform/database/unfit-settings.ts'
import { toIso } from '../platform/http/time.ts'
import { type Check, checkFirst, requireWell } from './doctor-check.ts'
import { findFileProblem } from './doctor-files.ts'

const CLOCK_TOLERANCE_MILLISECONDS = 30_000

/** These checks read only: their connections can't change the database. */
export function databaseChecks(opened: Context): Check[] {
  const settings = opened.config.database
  if (settings.engine === 'postgres') return postgresChecks(opened, settings.url)
  const address = addressForReading(settings.path)
  if (address === undefined) return [['database', () => explainMissing(settings.path)]]
  const database = new Kysely<Tables>({ dialect: new SqliteReaderDialect(address) })
  const damage = async () => describeDamage(findSqliteDamage(settings.path))
  const inOrder = checkFirst(['damage', damage], checksInOrder({ ...opened, database }))
  return [['files', () => checkFiles(settings.path)], ...inOrder]
}

function postgresChecks(context: Context, url: string): Check[] {
  const damage = async () => describeDamage(await findPostgresDamage(context.database))
  const others: Check[] = [
    ['change rows', () => checkChangeRows(context)],
    ['rights', () => checkRights(context)],
  ]
  return checkFirst(
    ['server', () => checkServer(context)],
    [
      ['settings', () => checkSettings(context)],
      ['connections', () => checkConnections(context, url)],
      ['time limits', () => checkLimits(url)],
      ...checkFirst(['damage', damage], checksInOrder(context, others)),
    ],
  )
}

async function checkFiles(path: string): Promise<string> {
  const problem = findFileProblem(path) ?? findSecretFileProblem(path)
  return requireWell(problem === undefined, 'the service can write them', problem ?? '')
}

/** The check for tables runs first, because every other check would fail without tables. */
function checksInOrder(context: Context, others: Check[] = []): Check[] {
  const [migrated, ...later] = soundDatabaseChecks(context)
  return checkFirst(migrated, [...later, ...others])
}

async function checkServer({ database }: Context): Promise<string> {
  await sql`select 1`.execute(database)
  return 'it responds'
}

async function checkSettings({ database }: Context): Promise<string> {
  for (const find of [findUnfitEncoding, findUnfitIsolation, findUnfitMessages]) {
    const problem = await find(database)
    if (problem !== undefined) return fail(problem)
  }
  return 'encoding and isolation fit'
}

function describeDamage(damage: string | undefined): string {
  const advice = 'stop the service, keep a copy of the files, and restore a backup (docs/operations.md, "Backups")'
  return requireWell(damage === undefined, 'none found', `the database is damaged: ${damage}; ${advice}`)
}

/** @throws Error that says how to create the database */
async function explainMissing(path: string): Promise<never> {
  const folder = nearestFolder(dirname(path))
  const isWritable = statSync(folder).isDirectory() && (await canWrite(folder))
  if (!isWritable)
    return fail(`there is none yet, and the service can't write to ${folder}; mend its rights, or set DATABASE_URL`)
  return fail('there is none yet; npm start creates it, and prints a link to make the first administrator')
}

function canWrite(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )
}

/** The first start creates the missing folders below it. */
function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path))
}

/** The first check tells whether there are tables. Each check can also run alone. */
export function soundDatabaseChecks(context: Context): [Check, ...Check[]] {
  const { database } = context
  const migrated = async () => {
    await assertNoCopy(database)
    await assertNoOtherProgram(database)
    const state = await readMigrationState(database)
    const advice =
      state === 'behind'
        ? 'not migrated; run npm run accounts -- migrate'
        : 'migrated by a later version, with which this one does not work; start that version'
    if (state !== 'current') return fail(advice)
    const missing = await listMissingTables(database)
    const where = 'a restore may be incomplete: restore a backup into a new database (docs/backup.md)'
    return requireWell(missing.length === 0, 'up to date', `it has no ${missing.join(', ')}; ${where}`)
  }
  const administrator = async () =>
    requireWell(await hasAdmin(database), 'there is one', 'there is none; run npm run accounts -- admin create')
  return [
    ['database', migrated],
    ['secret', () => checkSecret(context)],
    ['clock', () => checkClock(context)],
    ['administrator', administrator],
    ['two-step verification', () => describeTwoStepPolicy(context)],
  ]
}

/** The migrations are rows, so a restore that failed in the middle may have all of them and not all tables. */
async function listMissingTables(database: Kysely<Tables>): Promise<string[]> {
  // A later version, with which this one works, may have removed a table on purpose.
  if ((await listAppliedMigrations(database)).some(({ name }) => !(name in MIGRATIONS))) return []
  const found = await listTables(database)
  const expected = new Set<string>(COPY_STEPS.map(({ table }) => table))
  return [...expected].filter((table) => !found.includes(table))
}

/** No failure: staff without a second step can still sign in and set one up. */
async function describeTwoStepPolicy({ database, config: { requireTwoFactor } }: Context): Promise<string> {
  if (requireTwoFactor === 'none') return 'required by organizations only'
  const count = await countStaffWithoutSecondStep(database)
  const missing = count === 0 ? '' : `; ${count} of the staff have neither a second step nor a passkey yet`
  return `required of ${requireTwoFactor === 'staff' ? 'staff' : 'all users'}${missing}`
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
  return requireWell(problem === undefined, 'enough for this service', problem ?? '')
}

async function checkRights({ database }: Context): Promise<string> {
  const refused = await listRefusedTables(database)
  const advice = 'grant select, insert, update, delete on all tables to it (docs/operations.md, "PostgreSQL")'
  return requireWell(
    refused.length === 0,
    'the role may read and change every table',
    `the role may not read or change ${refused.join(', ')}; ${advice}`,
  )
}

async function checkChangeRows({ database }: Context): Promise<string> {
  const silent = await listSilentTriggers(database)
  const advice =
    'alter table … enable always trigger … for each, or restore those that are missing, and restart every process (docs/exact-sessions.md)'
  return requireWell(
    silent.length === 0,
    'every change writes them',
    `disabled or missing: ${silent.join(', ')}; ${advice}`,
  )
}

async function fail(reason: string): Promise<never> {
  throw new Error(reason)
}

async function checkSecret(context: Context): Promise<string> {
  if (context.config.secret === '')
    return fail(`it is missing: put your copy of the file back, or set SECRET to what it held. ${LOST_SECRET_ADVICE}`)
  await assertSecretFits(context)
  await assertNotSwapped(context)
  if (isRepetitive(context.config.secret))
    return fail(`${REPETITIVE_SECRET}: replace it (docs/operations.md, "Replacing SECRET")`)
  const unfit =
    'SECRET does not decrypt the newest signing key: take that one out with npm run accounts -- keys withdraw'
  return requireWell(await canDecryptSigningKeys(context), 'the one that the database was made with', unfit)
}

/** A clock behind the newest audit event is wrong now, or was wrong then. */
async function checkClock({ database, config, now }: Context): Promise<string> {
  if (config.database.engine === 'postgres') {
    const difference = Math.abs(await readClockDifference(database, now))
    requireWell(
      difference < CLOCK_TOLERANCE_MILLISECONDS,
      '',
      `it differs from PostgreSQL's by ${Math.round(difference / 1000)} s; set both by NTP`,
    )
  }
  const latest = (await findLatestEventTime(database)) ?? 0
  const seconds = Math.round((latest - now()) / 1000)
  const isBehind = seconds * 1000 > CLOCK_TOLERANCE_MILLISECONDS
  const advice = `set it by NTP; if it is right now, it was wrong then, and this check succeeds after ${toIso(latest)}`
  return requireWell(!isBehind, 'plausible', `it is ${seconds} s behind the newest audit event: ${advice}`)
}
