import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backup, type DatabaseSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
import { listAppliedMigrations } from '../../platform/database/applied-migrations.ts'
import { CopyError } from '../../platform/database/copy/copy-error.ts'
import { assertKnownSchema } from '../../platform/database/copy/copy-into.ts'
import { assertNotUnfinished } from '../../platform/database/copy/copy-state.ts'
import { assertUndamaged, openSnapshot } from '../../platform/database/copy/sqlite-source.ts'
import { migrate, readMigrationState } from '../../platform/database/migrate.ts'
import { onConnection } from '../../platform/database/on-connection.ts'
import { openDatabase } from '../../platform/database/open.ts'
import { addressForReading } from '../../platform/database/open-for-reading.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { isUnavailable } from '../../platform/database/unavailable.ts'

/** Migrates a temporary copy of an older backup, so that the file stays unchanged. @throws CopyError */
export async function withBackup<T>(file: string, read: (source: Kysely<Tables>) => Promise<T>): Promise<T> {
  const connection = open(file)
  try {
    // Checked before the target is changed: a restore that can't end would leave the target unusable.
    assertUndamaged(connection, file, 'Restore another backup.')
    const source = onConnection(connection)
    await assertUsable(source, file)
    return await ((await readMigrationState(source)) === 'current' ? read(source) : withMigratedCopy(connection, read))
  } finally {
    connection.close()
  }
}

/** @throws CopyError */
export function assertBackupFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) throw new CopyError(`There is no file ${file}.`)
  if (found.isDirectory()) throw new CopyError(`${file} is a folder. Name the file of a backup.`)
}

function open(file: string): DatabaseSync {
  assertBackupFile(file)
  try {
    return openSnapshot(addressForReading(file) ?? ':memory:')
  } catch (error) {
    const reason = (error as Error).message
    throw new CopyError(
      `${file} can't be read as a SQLite database: ${reason}. Copy the file of the backup again, or restore another one.`,
      { cause: error },
    )
  }
}

async function assertUsable(source: Kysely<Tables>, file: string): Promise<void> {
  const applied = await listAppliedMigrations(source)
  if (applied.length === 0) throw new CopyError(`${file} is no backup of Accounts.`)
  await assertKnownSchema(source)
  await assertNotUnfinished(source)
}

async function withMigratedCopy<T>(connection: DatabaseSync, read: (source: Kysely<Tables>) => Promise<T>): Promise<T> {
  const folder = makeFolder()
  try {
    const path = join(folder, 'copy.db')
    await backup(connection, path).catch(refuseFolder)
    const { database, close } = openDatabase({ engine: 'sqlite', path }, () => {})
    try {
      await migrate(database).catch((error) => {
        throw isUnavailable(error.cause) ? refuseFolder(error) : error
      })
      return await read(database)
    } finally {
      await close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function makeFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'accounts-restore-'))
  } catch (error) {
    return refuseFolder(error as Error)
  }
}

/** The error names the temporary folder: any other error would blame DATABASE_URL. */
function refuseFolder(cause: Error): never {
  throw new CopyError(
    `The backup is of an earlier version, and its temporary copy can't be written to ${tmpdir()}: ${cause.message}. Make room there, or set TMPDIR to another folder.`,
    { cause },
  )
}
