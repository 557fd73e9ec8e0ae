import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** Why the service must not work with the SECRET it was given; the message says what to do. */
export class SecretError extends Error {
  override name = 'SecretError'
}

export function secretPathOf(databasePath: string): string {
  return join(dirname(databasePath), 'secret')
}

/**
 * The secret beside a SQLite database, as it is in the file; undefined where there is no file.
 * @throws SecretError when the file can't be read
 */
export function readSecretFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new SecretError(
      `The file ${path} can't be read (${message}). Make it readable for the service, or set SECRET.`,
    )
  }
}

/**
 * Creates the secret beside a new SQLite database. A database without its secret gets no new one: nothing that the
 * database holds encrypted could be read again.
 * @throws SecretError when the database exists already, or when the file can't be written
 */
export function createSecretFile(databasePath: string): string {
  const path = secretPathOf(databasePath)
  // The database is looked at first: a process that starts at the same time creates the secret before the database.
  const hasDatabase = (statSync(databasePath, { throwIfNoEntry: false })?.size ?? 0) > 0
  const found = readSecretFile(path)
  if (found !== undefined) return found
  if (hasDatabase) {
    throw new SecretError(
      `The file ${path} is missing, and ${databasePath} was made with it. Put the file back from a backup, or set SECRET to what it held.`,
    )
  }
  writeWhole(path, `${randomBytes(32).toString('base64url')}\n`)
  return readSecretFile(path) ?? ''
}

/** A full disk or a crash leaves no short file behind, and of two processes that start at the same time the first wins. */
function writeWhole(path: string, text: string): void {
  const temporaryPath = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(temporaryPath, text, { flag: 'wx', mode: 0o600, flush: true })
    linkSync(temporaryPath, path)
    syncFolder(dirname(path))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    throw new SecretError(
      `The file ${path} can't be written (${message}). Make room on the disk or mend the rights of the folder, then start again.`,
    )
  } finally {
    rmSync(temporaryPath, { force: true })
  }
}

/** Without this, a power cut may take the name of the file away, and leave a database that was made with its content. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
