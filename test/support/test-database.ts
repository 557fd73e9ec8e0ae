import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresForTests, type TestDatabase } from './postgres.ts'

export type Engine = 'sqlite' | 'postgres'

export async function createTestDatabase(engine: Engine): Promise<TestDatabase> {
  if (engine === 'postgres') return (await postgresForTests()).createDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'accounts-test-'))
  return { url: `sqlite:${folder}/accounts.db`, drop: () => rm(folder, { recursive: true, force: true }) }
}
