import { randomBytes } from 'node:crypto'
import { closeSync, lstatSync, openSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CopyError } from '../../platform/database/copy/copy-error.ts'
import { nameNewFile, syncToDisk } from '../../platform/files/name-new-file.ts'

/**
 * The file gets its name after it is complete, verified and on the disk.
 * @throws CopyError when the name is taken or the file is damaged; an error of the file system, or of `write`
 */
export async function writeBackupFile(file: string, write: (temporaryPath: string) => Promise<void>): Promise<void> {
  assertNew(file)
  const temporaryPath = `${resolve(file)}.${randomBytes(6).toString('hex')}.partial`
  try {
    // SQLite gives the other files of the database the mode of this one.
    closeSync(openSync(temporaryPath, 'wx', 0o600))
    await write(temporaryPath)
    finish(temporaryPath)
    rename(temporaryPath, file)
  } finally {
    for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(`${temporaryPath}${ending}`, { force: true })
  }
}

/** `lstat` also finds a symbolic link without its file. */
function assertNew(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }))
    throw new CopyError(`${file} exists already. Choose another name: a backup replaces no file.`)
}

/** Makes the backup one file, without a -wal file, and reads all of it again. */
function finish(temporaryPath: string): void {
  const copy = new DatabaseSync(temporaryPath, { enableForeignKeyConstraints: true })
  try {
    copy.exec('pragma journal_mode = delete')
    const damage = copy.prepare('pragma integrity_check(3)').all()
    const missing = copy.prepare('pragma foreign_key_check').all()
    if (damage[0]?.integrity_check !== 'ok' || missing.length > 0)
      throw new CopyError(
        `The backup is damaged: ${JSON.stringify([...damage, ...missing.slice(0, 3)])}. Check the disk.`,
      )
  } finally {
    copy.close()
  }
  syncToDisk(temporaryPath)
}

function rename(temporaryPath: string, file: string): void {
  try {
    nameNewFile(temporaryPath, file)
  } catch (error) {
    assertNew(file)
    throw error
  }
}
