import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { resolveLinks } from '../platform/database/resolve-links.ts'
import { GROUP_AND_OTHERS } from '../platform/files/file-mode.ts'

/** @returns why the service could not use the file of a SQLite database, with the solution; undefined when it can */
export function findFileProblem(path: string): string | undefined {
  const user = process.getuid?.() ?? 0
  const { uid: owner, mode } = statSync(path)
  if (user !== 0 && owner !== user && (mode & GROUP_AND_OTHERS) !== 0)
    return `${path} belongs to another user, and others may read it, which only its owner can change; make the user of the service its owner (chown)`
  const unusable = [path, dirname(resolveLinks(path))].find((place) => !canUse(place))
  return unusable && `the service can't write to ${unusable}; let its user read and write the file and its folder`
}

function canUse(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}
