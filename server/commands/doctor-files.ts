import type { StatsFs } from 'node:fs'
import { accessSync, constants, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { resolveLinks } from '../platform/database/resolve-links.ts'
import { findOpenFolderProblem } from '../platform/files/exposed-file.ts'
import { GROUP_AND_OTHERS } from '../platform/files/file-mode.ts'
import { requireWell } from './doctor-check.ts'

/** @returns why the service could not use the file of a SQLite database, or other users could, with the solution */
export function findFileProblem(path: string): string | undefined {
  const user = process.getuid?.() ?? 0
  const { uid: owner, mode } = statSync(path)
  if (user !== 0 && owner !== user && (mode & GROUP_AND_OTHERS) !== 0)
    return `${path} belongs to another user, and others may read it, which only its owner can change; make the user of the service its owner (chown)`
  for (const place of [path, dirname(resolveLinks(path))]) {
    const code = findAccessError(place)
    if (code === 'EROFS') return `the file system of ${place} is read-only; check the disk, and mount it again`
    if (code !== undefined)
      return `the service can't write to ${place}; let its user read and write the file and its folder`
  }
  return findOpenFolderProblem(dirname(path)) ?? findOpenFolderProblem(dirname(resolveLinks(path)))
}

/** The size of the -wal file after a backup or another long read. */
const FREE_MEBIBYTES_MINIMUM = 64

/** @throws Error when the disk is nearly full */
export function checkFreeSpace(path: string, readSpace: (folder: string) => StatsFs = statfsSync): string {
  const { blocks, bavail, bsize } = readSpace(dirname(resolveLinks(path)))
  // Some network file systems report no size.
  if (blocks === 0) return 'the free space is not known'
  const mebibytes = Math.floor((bavail * bsize) / 1024 ** 2)
  return requireWell(
    mebibytes >= FREE_MEBIBYTES_MINIMUM,
    `${mebibytes} MiB are free`,
    `only ${mebibytes} MiB are free on the disk of ${path}; make room, because changes fail on a full disk`,
  )
}

function findAccessError(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}
