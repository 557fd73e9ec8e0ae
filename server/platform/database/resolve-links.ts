import { existsSync, realpathSync } from 'node:fs'

/** SQLite names its -wal and -shm file after the file itself, and not after a symbolic link to it. */
export function resolveLinks(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}
