import { readdirSync } from 'node:fs'
import type { Kysely } from 'kysely'
import type { OnlineSteps } from './online-steps.ts'

const FOLDER = new URL('./migrations/', import.meta.url)

/** docs/upgrading.md explains both kinds. */
export type MigrationKind = 'expand' | 'contract'

interface Compatibility {
  /** After `expand`, earlier versions still work. Migrations before 0020 have no kind. */
  kind?: MigrationKind
  /**
   * After `contract`, only earlier versions that have this migration still work; undefined if no earlier version does.
   */
  needs?: string
}

/** SQL in one transaction. On PostgreSQL its locks stop requests, so it must take milliseconds. */
export interface QuickMigration extends Compatibility {
  // biome-ignore lint/suspicious/noExplicitAny: a migration knows the tables of its time.
  up(database: Kysely<any>): Promise<void>
  online?: undefined
}

/** Long work beside requests. After an interruption, it runs again from its beginning. */
export interface OnlineMigration extends Compatibility {
  online(steps: OnlineSteps): Promise<void>
  up?: undefined
}

export type Migration = QuickMigration | OnlineMigration

export type Migrations = Record<string, Migration>

/** The files of migrations/ by name, in order. A migration is never edited after its release. */
export const MIGRATIONS = await readMigrations()

async function readMigrations(): Promise<Migrations> {
  const names = readdirSync(FOLDER).sort()
  const imports = names.map(async (name): Promise<[string, Migration]> => {
    return [name.replace('.ts', ''), await import(new URL(name, FOLDER).href)]
  })
  return Object.fromEntries(await Promise.all(imports))
}
