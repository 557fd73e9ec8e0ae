import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findExposureProblem } from '../files/exposed-file.ts'
import { nameNewFile } from '../files/name-new-file.ts'

/** Does not advise a restore, because a backup does not contain the secret. */
export const LOST_SECRET_ADVICE = 'If it is lost, follow "If SECRET is lost" in docs/operations.md.'

export const MAKE_SECRET_ADVICE = 'Make one with `openssl rand -base64 32`.'

export class SecretError extends Error {
  override name = 'SecretError'
}

export function secretPathOf(databasePath: string): string {
  return join(dirname(databasePath), 'secret')
}

/** @returns undefined without a file @throws SecretError when the file can't be read */
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

export function findSecretFileProblem(databasePath: string): string | undefined {
  return findExposureProblem(secretPathOf(databasePath))
}

/** An existing database gets no new secret, which could not decrypt its data. @throws SecretError */
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

/** Writes all or nothing, also on a full disk or after a crash. The first of concurrent processes succeeds. */
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
