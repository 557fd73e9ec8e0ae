import type { Kysely } from 'kysely'
import { listColumns } from '../list-columns.ts'
import { underMigrationLock } from '../migration-lock.ts'
import { findOtherTable, listTables } from '../own-tables.ts'
import type { CopyStateRow, Tables } from '../tables.ts'
import { CopyError } from './copy-error.ts'
import { COPY_STEPS } from './copy-steps.ts'
import { assertNoFinishedCopy } from './finished-copy.ts'
import { countRows } from './rows.ts'

const ID = 1
const CONCURRENT = 'Another process copies into this database. Wait for it, or stop it.'
const FINISHED = 'Another process has finished this copy.'
const CHANGED = 'The target has changed since its rows were verified. Run the command again: it continues.'
const BACKUP =
  'DATABASE_URL names a backup, which may contain credentials that were revoked later. Set DATABASE_URL to a new, empty database, and run npm run accounts -- restore with the file.'

export type Copy = Pick<CopyStateRow, 'kind' | 'source'>
export type CopyPosition = Pick<CopyStateRow, 'step' | 'lastKey'>

/** A service on a backup or a target would lose data, or accept revoked credentials. @throws CopyError */
export async function assertNoCopy(database: Kysely<Tables>): Promise<void> {
  await assertNotUnfinished(database)
  if (await findStateBeforeMigration(database)) throw new CopyError(BACKUP)
}

/** Accepts a backup, unlike `assertNoCopy`. @throws CopyError */
export async function assertNotUnfinished(database: Kysely<Tables>): Promise<void> {
  const state = await findStateBeforeMigration(database)
  if (state?.kind === 'move')
    throw new CopyError(
      `The database is the unfinished target of a move. Run the same npm run accounts -- move again, from ${state.source}; or set DATABASE_URL back to that.`,
    )
  if (state?.kind === 'restore')
    throw new CopyError(
      `The database is half restored. Run npm run accounts -- restore ${state.source} again, until it says that every row is verified.`,
    )
  if (state?.kind === 'partial backup')
    throw new CopyError(
      'This is the partial file of a backup that was interrupted: delete it, and use a complete backup.',
    )
}

/** The database must be migrated. */
export async function hasCopyState(database: Kysely<Tables>): Promise<boolean> {
  return (await findCopyState(database)) !== undefined
}

async function findStateBeforeMigration(database: Kysely<Tables>): Promise<CopyStateRow | undefined> {
  return (await listColumns(database, 'copyState')).length > 0 ? findCopyState(database) : undefined
}

/** An unfinished copy of the same kind and source continues. @throws CopyError when the target has data */
export async function beginCopy(target: Kysely<Tables>, copy: Copy): Promise<void> {
  // A service that starts takes the same lock to register its SECRET.
  await underMigrationLock(target, async (transaction) => {
    const found = await findCopyState(transaction)
    if (found) return assertSame(found, copy)
    await assertEmpty(transaction)
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('copyState')
      .values({ id: ID, ...copy, step: null, lastKey: null })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    if (numInsertedOrUpdatedRows === 0n) throw new CopyError(CONCURRENT)
  })
}

/** Runs before the migrations: a database in use, or another target, must not be migrated. @throws CopyError */
export async function assertEmptyOrBegun(target: Kysely<Tables>, copy: Copy): Promise<void> {
  const found = await findStateBeforeMigration(target)
  if (found) return assertSame(found, copy)
  await assertEmpty(target)
}

async function assertEmpty(target: Kysely<Tables>): Promise<void> {
  const otherTable = await findOtherTable(target)
  if (otherTable !== undefined)
    throw new CopyError(`The target is not empty: it has the table ${otherTable}. Choose a new, empty database.`)
  const tables = await listTables(target)
  for (const { only: _, ...whole } of COPY_STEPS) {
    if (!tables.includes(whole.table) || (await countRows(target, whole)) === 0) continue
    if (tables.includes('auditEvents')) await assertNoFinishedCopy(target)
    throw new CopyError(`The target is not empty: ${whole.table} has rows. Choose a new, empty database.`)
  }
}

export async function markBackup(copy: Kysely<Tables>, source: string): Promise<void> {
  const state = { kind: 'backup', source, step: null, lastKey: null } as const
  await copy
    .insertInto('copyState')
    .values({ id: ID, ...state })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(state))
    .execute()
}

function assertSame(found: Copy, { kind, source }: Copy): void {
  if (found.kind === kind && found.source === source) return
  if (found.kind === 'backup' || found.kind === 'partial backup')
    throw new CopyError(`The target is a ${found.kind}. Choose a new, empty database.`)
  throw new CopyError(
    `The target is the unfinished ${found.kind} of ${found.source}. Continue that one, or choose a new, empty database.`,
  )
}

export async function getPosition(target: Kysely<Tables>): Promise<CopyPosition> {
  const state = await findCopyState(target)
  if (!state) throw new CopyError(FINISHED)
  return { step: state.step, lastKey: state.lastKey }
}

/** Compare-and-set, in the transaction of the rows: of two processes, only one copies a batch. @throws CopyError */
export async function advance(transaction: Kysely<Tables>, from: CopyPosition, to: CopyPosition): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable('copyState')
    .set(to)
    .where('step', 'is not distinct from', from.step)
    .where('lastKey', 'is not distinct from', from.lastKey)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw new CopyError(CONCURRENT)
}

/** The next run empties the target and copies everything again. */
export async function startOver(target: Kysely<Tables>): Promise<void> {
  await target.updateTable('copyState').set({ step: null, lastKey: null }).execute()
}

/**
 * The transaction also records the audit event, by which a repeated command finds the finished copy.
 * @throws CopyError when the position is not `verified`: a standby that was promoted may lack the last rows
 */
export async function endCopy(transaction: Kysely<Tables>, verified: CopyPosition): Promise<void> {
  const { numDeletedRows } = await transaction
    .deleteFrom('copyState')
    .where('step', 'is not distinct from', verified.step)
    .where('lastKey', 'is not distinct from', verified.lastKey)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw new CopyError((await hasCopyState(transaction)) ? CHANGED : FINISHED)
}

function findCopyState(database: Kysely<Tables>): Promise<CopyStateRow | undefined> {
  return database.selectFrom('copyState').selectAll().executeTakeFirst()
}
