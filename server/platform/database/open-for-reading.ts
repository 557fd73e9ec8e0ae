import { statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/**
 * The address at which SQLite reads a file without creating or changing one.
 * @returns undefined where there is no database
 */
export function addressForReading(path: string): string | undefined {
  if (sizeOf(path) === 0) return undefined
  // Without a -wal file no process has the database open, and SQLite would create one to read it.
  return sizeOf(`${path}-wal`) > 0 ? path : `${pathToFileURL(path).href}?immutable=1`
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
