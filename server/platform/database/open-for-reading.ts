import { statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/**
 * The address with which SQLite reads the database without creating or changing a file.
 * @returns undefined when there is no database
 */
export function addressForReading(path: string): string | undefined {
  if (sizeOf(path) === 0) return undefined
  // Without `immutable`, SQLite creates a missing -wal file to read the database.
  return sizeOf(`${path}-wal`) > 0 ? path : `${pathToFileURL(path).href}?immutable=1`
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
