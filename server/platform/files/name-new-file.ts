import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** The errors of file systems without hard links. */
const NO_LINKS = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']

/** A link takes one step, so that a kill leaves no empty file. @throws an error of the file system, such as EEXIST */
export function nameNewFile(temporaryPath: string, path: string): void {
  try {
    linkSync(temporaryPath, path)
  } catch (error) {
    if (!NO_LINKS.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    renameToNew(temporaryPath, path)
  }
  rmSync(temporaryPath, { force: true })
  syncToDisk(dirname(resolve(path)))
}

/** The name is created first, because a rename alone would replace a file that was created concurrently. */
function renameToNew(temporaryPath: string, path: string): void {
  closeSync(openSync(path, 'wx', 0o600))
  try {
    renameSync(temporaryPath, path)
  } catch (error) {
    // An empty file would look like a complete one.
    rmSync(path, { force: true })
    throw error
  }
}

export function syncToDisk(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
