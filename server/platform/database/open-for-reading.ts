import { existsSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { Kysely } from 'kysely'
import type { Config } from '../config/config.ts'
import { openDatabase } from './open.ts'
import { resolveLinks } from './resolve-links.ts'
import { SqliteReaderDialect } from './sqlite-reader.ts'
import type { Tables } from './tables.ts'

/** SQLite reads this address without creating or changing a file. @returns undefined when there is no database */
export function addressForReading(path: string): string | undefined {
  if (isMissing(path)) return undefined
  // Without `immutable`, SQLite creates a missing -wal file. With it, changes of a running service look like damage.
  // The -wal file of a service may be empty, so its existence decides.
  return existsSync(`${resolveLinks(path)}-wal`) ? path : `${pathToFileURL(path).href}?immutable=1`
}

/** Creates no file, unlike `openDatabase`. @returns undefined when there is no database */
export function openForReading(settings: Config['database']): Kysely<Tables> | undefined {
  if (settings.engine === 'postgres') return openDatabase(settings, () => {}).database
  const address = addressForReading(settings.path)
  return address === undefined ? undefined : new Kysely<Tables>({ dialect: new SqliteReaderDialect(address) })
}

/** SQLite treats an empty file as a new database. */
export function isMissing(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0
}
