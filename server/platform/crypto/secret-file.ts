import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { GROUP_AND_OTHERS } from '../files/file-mode.ts'
import { nameNewFile } from '../files/name-new-file.ts'

const GROUP_WRITE_AND_OTHERS = 0o027

/** Does not advise a restore, because a backup does not contain the secret. */
export const LOST_SECRET_ADVICE = 'If it is lost, follow "If SECRET is lost" in docs/operations.md.'

export const MAKE_SECRET_ADVICE = 'Make one with `openssl rand -base64 32`.'

/** SECRET is unusable. The message contains the solution. */
export class SecretError extends Error {
  override name = 'SecretError'
}

export function secretPathOf(databasePath: string): string {
  return join(dirname(databasePath), 'secret')
}

/**
 * The secret beside a SQLite database; undefined without a file.
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
 * Checks that other users can't read or change the file. For a file of another owner, the group may read it, because
 * the service may read it through the group. The group may not write it.
 * @returns the problem with its solution; undefined without a problem, and without a file
 */
export function findSecretFileProblem(databasePath: string): string | undefined {
  const path = secretPathOf(databasePath)
  const file = statSync(path, { throwIfNoEntry: false })
  // Windows has no users in the mode of a file.
  if (file === undefined || process.getuid === undefined) return undefined
  const isOwner = file.uid === process.getuid()
  if ((file.mode & (isOwner ? GROUP_AND_OTHERS : GROUP_WRITE_AND_OTHERS)) === 0) return undefined
  const command = isOwner ? 'chmod 600' : 'chmod g-w,o-rwx'
  return `other users can read or change the file ${path}: run ${command} ${path}`
}

/**
 * Creates the secret beside a new SQLite database. An existing database gets no new secret, which could not decrypt its
 * data.
 * @throws SecretError when the database exists, or when the file can't be written
 */
export function createSecretFile(databasePath: string): string {
  const path = secretPathOf(databasePath)
  // This check comes first, because a concurrent process creates the secret before the database.
  const hasDatabase = (statSync(databasePath, { throwIfNoEntry: false })?.size ?? 0) > 0
  const found = readSecretFile(path)
  if (found !== undefined) return found
  if (hasDatabase) {
    throw new SecretError(
      `The file ${path} is missing, and ${databasePath} was made with it. Put your copy of the file back, or set SECRET to what it held. ${LOST_SECRET_ADVICE}`,
    )
  }
  writeWhole(path, `${randomBytes(32).toString('base64url')}\n`)
  return readSecretFile(path) ?? ''
}

/**
 * Writes all of the file or nothing, also on a full disk or after a crash. Of concurrent processes, the first one
 * succeeds.
 */
function writeWhole(path: string, text: string): void {
  const temporaryPath = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(temporaryPath, text, { flag: 'wx', mode: 0o600, flush: true })
    nameNewFile(temporaryPath, path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    throw new SecretError(
      `The file ${path} can't be written (${message}). Make room on the disk or correct the permissions of the folder, then start again.`,
    )
  } finally {
    rmSync(temporaryPath, { force: true })
  }
}
