import type { Kysely } from 'kysely'
import { findLatestEventTime } from '../core/audit/latest-event-time.ts'
import type { Context } from '../core/context.ts'
import { countStaffWithoutSecondStep } from '../core/users/count-users.ts'
import { countAdmins } from '../core/users/store.ts'
import { assertNotSwapped, assertSecretFits, REPETITIVE_SECRET } from '../features/secret-rotation/register-secret.ts'
import { canDecryptSigningKeys } from '../features/tokens/signing-keys.ts'
import { isRepetitive } from '../platform/crypto/keyring.ts'
import { LOST_SECRET_ADVICE } from '../platform/crypto/secret-file.ts'
import { listAppliedMigrations } from '../platform/database/applied-migrations.ts'
import { readClockDifference } from '../platform/database/clock-difference.ts'
import { assertNoCopy } from '../platform/database/copy/copy-state.ts'
import { COPY_STEPS } from '../platform/database/copy/copy-steps.ts'
import { readMigrationState } from '../platform/database/migrate.ts'
import { MIGRATIONS } from '../platform/database/migration.ts'
import { assertNoOtherProgram, listTables } from '../platform/database/own-tables.ts'
import type { Tables } from '../platform/database/tables.ts'
import { toIso } from '../platform/http/time.ts'
import { type Check, checkFirst, requireWell } from './doctor-check.ts'

const CLOCK_TOLERANCE_MILLISECONDS = 30_000

/** The check for tables runs first, because every other check would fail without tables. */
export function checksInOrder(context: Context, others: Check[] = []): Check[] {
  const [migrated, ...later] = quickDatabaseChecks(context)
  return checkFirst(migrated, [...later, ...others])
}

export function requireUndamaged(damage: string | undefined): string {
  const advice = 'stop the service, keep a copy of the files, and restore a backup (docs/operations.md, "Backups")'
  return requireWell(damage === undefined, 'none found', `the database is damaged: ${damage}; ${advice}`)
}

/** The first check tells whether there are tables. Each check can also run alone. */
export function quickDatabaseChecks(context: Context): [Check, ...Check[]] {
  const { database } = context
  const migrated = async () => {
    await assertNoCopy(database)
    await assertNoOtherProgram(database)
    const state = await readMigrationState(database)
    const advice =
      state === 'behind'
        ? 'not migrated; run npm run accounts -- migrate'
        : 'migrated by a later version, with which this one does not work; start that version'
    if (state !== 'current') throw new Error(advice)
    const missing = await listMissingTables(database)
    const where = 'a restore may be incomplete: restore a backup into a new database (docs/backup.md)'
    return requireWell(missing.length === 0, 'up to date', `it has no ${missing.join(', ')}; ${where}`)
  }
  return [
    ['database', migrated],
    ['secret', () => checkSecret(context)],
    ['clock', () => checkClock(context)],
    ['administrator', () => checkAdministrator(context)],
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

async function checkAdministrator({ database, now }: Context): Promise<string> {
  const advice = 'run npm run accounts -- admin create, which also verifies the address and lifts a ban'
  const isThere = (await countAdmins(database, now())) > 0
  return requireWell(isThere, 'there is one', `there is none who is verified and not banned; ${advice}`)
}

/** No failure: staff without a second step can still sign in and set one up. */
async function describeTwoStepPolicy({ database, config: { requireTwoFactor } }: Context): Promise<string> {
  if (requireTwoFactor === 'none') return 'required by organizations only'
  const count = await countStaffWithoutSecondStep(database)
  const missing = count === 0 ? '' : `; ${count} of the staff have neither a second step nor a passkey yet`
  return `required of ${requireTwoFactor === 'staff' ? 'staff' : 'all users'}${missing}`
}

async function checkSecret(context: Context): Promise<string> {
  if (context.config.secret === '')
    throw new Error(
      `it is missing: put your copy of the file back, or set SECRET to what it held. ${LOST_SECRET_ADVICE}`,
    )
  await assertSecretFits(context)
  await assertNotSwapped(context)
  if (isRepetitive(context.config.secret))
    throw new Error(`${REPETITIVE_SECRET}: replace it (docs/operations.md, "Replacing SECRET")`)
  const unfit =
    'SECRET does not decrypt the newest signing key: take that one out with npm run accounts -- keys withdraw'
  return requireWell(await canDecryptSigningKeys(context), 'the one that the database was made with', unfit)
}

/** A clock behind the newest audit event is wrong now, or was wrong then. */
async function checkClock({ database, config, now }: Context): Promise<string> {
  if (config.database.engine === 'postgres') {
    const difference = Math.abs(await readClockDifference(database, now))
    if (difference >= CLOCK_TOLERANCE_MILLISECONDS)
      throw new Error(`it differs from PostgreSQL's by ${Math.round(difference / 1000)} s; set both by NTP`)
  }
  const latest = (await findLatestEventTime(database)) ?? 0
  const seconds = Math.round((latest - now()) / 1000)
  const isBehind = seconds * 1000 > CLOCK_TOLERANCE_MILLISECONDS
  const advice = `set it by NTP; if it is right now, it was wrong then, and this check succeeds after ${toIso(latest)}`
  return requireWell(!isBehind, 'plausible', `it is ${seconds} s behind the newest audit event: ${advice}`)
}
