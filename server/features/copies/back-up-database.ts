import { backup, DatabaseSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
import type { Context } from '../../core/context.ts'
import { CopyError } from '../../platform/database/copy/copy-error.ts'
import { copyInto, type OnStage } from '../../platform/database/copy/copy-into.ts'
import { assertNoCopy, markBackup } from '../../platform/database/copy/copy-state.ts'
import { COPY_STEPS } from '../../platform/database/copy/copy-steps.ts'
import { describeDatabase } from '../../platform/database/copy/describe-database.ts'
import { withPostgresSnapshot } from '../../platform/database/copy/postgres-source.ts'
import { assertCopyable } from '../../platform/database/copy/read-source.ts'
import { countRows } from '../../platform/database/copy/rows.ts'
import { openSnapshot } from '../../platform/database/copy/sqlite-source.ts'
import { assertFile } from '../../platform/database/existing-database.ts'
import { listPendingMigrations } from '../../platform/database/migrate.ts'
import { onConnection } from '../../platform/database/on-connection.ts'
import { openDatabase } from '../../platform/database/open.ts'
import { assertOfAccounts } from '../../platform/database/own-tables.ts'
import { isBusy, isDamaged } from '../../platform/database/sqlite-statements.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { assertSecretFits } from '../secret-rotation/register-secret.ts'
import { writeBackupFile } from './write-backup-file.ts'

/** 4 MiB. Between two steps, other work of this process can run. */
const PAGES_PER_STEP = 1_000

/**
 * The file contains what was committed when the backup began. `needsSecret` refuses another SECRET, because a restore
 * needs the right one.
 * @throws CopyError; MigrationError; SecretError; an error of the file system
 */
export async function backUpDatabase(
  context: Context,
  file: string,
  onStage: OnStage,
  needsSecret = true,
): Promise<void> {
  const assertAllowed = (source: Kysely<Tables>) => assertMayBackUp(context, source, needsSecret)
  const { database } = context.config
  await writeBackupFile(file, (temporaryPath) =>
    database.engine === 'sqlite'
      ? copyPages(database.path, temporaryPath, onStage, assertAllowed)
      : copyRows(context, temporaryPath, onStage, assertAllowed),
  )
}

async function assertMayBackUp(context: Context, source: Kysely<Tables>, needsSecret: boolean): Promise<void> {
  await assertNoCopy(source)
  await assertOfAccounts(source)
  if ((await listPendingMigrations(source)).length > 0)
    throw new CopyError(
      'The database is not up to date. Run npm run accounts -- migrate, or back up with the version that serves it.',
    )
  if (needsSecret) await assertSecretFits({ ...context, database: source })
}

type Assert = (source: Kysely<Tables>) => Promise<void>

/** VACUUM INTO would renumber the rows of users, and the search index refers to the numbers. */
async function copyPages(path: string, temporaryPath: string, onStage: OnStage, assertAllowed: Assert): Promise<void> {
  const snapshot = openSource(path)
  try {
    await assertAllowed(onConnection(snapshot))
    await assertCopyable(onConnection(snapshot))
    await backup(snapshot, temporaryPath, {
      rate: PAGES_PER_STEP,
      progress: ({ totalPages, remainingPages }) => onStage('Copied', totalPages - remainingPages, totalPages),
    })
    const copy = new DatabaseSync(temporaryPath)
    try {
      await markBackup(onConnection(copy), describeDatabase({ engine: 'sqlite', path }))
      await assertSameCounts(snapshot, copy)
    } finally {
      copy.close()
    }
  } finally {
    snapshot.close()
  }
}

/** The error names the source: any other error would blame the file of the backup. @throws CopyError */
function openSource(path: string): DatabaseSync {
  assertFile({ engine: 'sqlite', path })
  try {
    return openSnapshot(path)
  } catch (error) {
    throw new CopyError(`The database ${path} can't be read: ${(error as Error).message}. ${findAdvice(error)}`, {
      cause: error,
    })
  }
}

function findAdvice(error: unknown): string {
  if (isBusy(error)) return 'Another process locks it, such as a move: wait for it, or end it.'
  return isDamaged(error)
    ? 'Check DATABASE_URL. If the file is damaged, restore an earlier backup (docs/backup.md).'
    : 'Check DATABASE_URL, the disk, and whether your user may read and write the file and its folder.'
}

async function assertSameCounts(snapshot: DatabaseSync, copy: DatabaseSync): Promise<void> {
  for (const step of COPY_STEPS) {
    const [expected, found] = [await countRows(onConnection(snapshot), step), await countRows(onConnection(copy), step)]
    if (expected !== found)
      throw new CopyError(
        `The backup is damaged: ${step.name} has ${found} rows instead of ${expected}. Check the disk.`,
      )
  }
}

async function copyRows(
  context: Context,
  temporaryPath: string,
  onStage: OnStage,
  assertAllowed: Assert,
): Promise<void> {
  const { config, database } = context
  const { database: copy, close } = openDatabase({ engine: 'sqlite', path: temporaryPath }, () => {})
  try {
    const source = describeDatabase(config.database)
    await withPostgresSnapshot(database, async (snapshot) => {
      await assertAllowed(snapshot)
      await copyInto(copy, { kind: 'partial backup', source }, snapshot, onStage)
    })
    await markBackup(copy, source)
  } finally {
    await close()
  }
}
