import { readdirSync } from 'node:fs'
import type { Kysely } from 'kysely'
import type { OnlineSteps } from './online-steps.ts'

const FOLDER = new URL('./migrations/', import.meta.url)

/** docs/upgrading.md explains both kinds. */
export type MigrationKind = 'expand' | 'contract'

interface Compatibility {
  /** After `expand`, earlier versions still work. Migrations before 0020 have no kind. */
  kind?: MigrationKind
  /** After `contract`, only earlier versions with this migration still work; undefined if no earlier version does. */
  needs?: string
}

/** One transaction, whose locks stop requests on PostgreSQL: it must take milliseconds. */
export interface QuickMigration extends Compatibility {
  // biome-ignore lint/suspicious/noExplicitAny: a migration knows the tables of its time.
  up(database: Kysely<any>): Promise<void>
  online?: undefined
}

/** Work beside requests. After an interruption, it runs again from its beginning. */
export interface OnlineMigration extends Compatibility {
  online(steps: OnlineSteps): Promise<void>
  up?: undefined
}

export type Migration = QuickMigration | OnlineMigration

export type Migrations = Record<string, Migration>

/** In the order of their names. A migration is never edited after its release. */
export const MIGRATIONS = await readMigrations()

async function readMigrations(): Promise<Migrations> {
  const names = readdirSync(FOLDER).sort()
  const imports = names.map(async (name): Promise<[string, Migration]> => {
    return [name.replace('.ts', ''), await import(new URL(name, FOLDER).href)]
  })
  return Object.fromEntries(await Promise.all(imports))
}
