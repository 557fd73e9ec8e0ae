import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresForTests } from './postgres.ts'

export type Engine = 'sqlite' | 'postgres'

/** A new empty database. */
export interface Home {
  databaseUrl: string
  remove(): Promise<void>
}

export async function newHome(engine: Engine): Promise<Home> {
  if (engine === 'postgres') {
    const database = await (await postgresForTests()).createDatabase()
    return { databaseUrl: database.url, remove: database.drop }
  }
  const folder = await mkdtemp(join(tmpdir(), 'accounts-test-'))
  return { databaseUrl: `sqlite:${folder}/accounts.db`, remove: () => rm(folder, { recursive: true, force: true }) }
}
