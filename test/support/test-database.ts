import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from '../../server/platform/config/config.ts'
import { postgresForTests, type TestDatabase } from './postgres.ts'

export type { Engine } from '../../server/platform/config/config.ts'

export async function createTestDatabase(engine: Engine): Promise<TestDatabase> {
  if (engine === 'postgres') return (await postgresForTests()).createDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'accounts-test-'))
  return { url: `sqlite:${folder}/accounts.db`, drop: () => rm(folder, { recursive: true, force: true }) }
}
