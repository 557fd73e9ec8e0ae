import { readdirSync } from 'node:fs'
import type { Kysely } from 'kysely'
import type { OnlineSteps } from './online-steps.ts'

const FOLDER = new URL('./migrations/', import.meta.url)

/** docs/upgrading.md explains both kinds. */
export type Kind = 'expand' | 'contract'

interface Compatibility {
  /** Earlier releases go on working after `expand`. Migrations before 0020 say nothing. */
  kind?: Kind
  /** After `contract`, only releases that know this migration go on working; without it, none. */
  needs?: string
}

/** SQL in one transaction. On PostgreSQL its locks stop requests, so it must take milliseconds. */
export interface QuickMigration extends Compatibility {
  // biome-ignore lint/suspicious/noExplicitAny: a migration knows the tables of its time.
  up(database: Kysely<any>): Promise<void>
  online?: undefined
}

/** Long work beside requests. It runs again from its start when it was interrupted. */
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
