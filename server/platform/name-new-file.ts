import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Gives a complete file its name, and replaces no file. The name is created first, because a rename alone would replace
 * a file that was created concurrently. Hard links would need no such step, but some file systems have none.
 * @throws an error of the file system: EEXIST when the name is taken
 */
export function nameNewFile(temporaryPath: string, path: string): void {
  closeSync(openSync(path, 'wx', 0o600))
  try {
    renameSync(temporaryPath, path)
  } catch (error) {
    // An empty file would look like a complete one.
    rmSync(path, { force: true })
    throw error
  }
  syncToDisk(dirname(resolve(path)))
}

/** Waits until a file or a folder is on the disk. */
export function syncToDisk(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
