import type { Kysely } from 'kysely'
import { listAppliedMigrations } from '../applied-migrations.ts'
import { migrate } from '../migrate.ts'
import { MIGRATIONS } from '../migration.ts'
import type { Tables } from '../tables.ts'
import { CopyError } from './copy-error.ts'
import { assertEmptyOrBegun, beginCopy, type Copy, type CopyPosition, getPosition } from './copy-state.ts'
import { copyTables } from './copy-tables.ts'
import { verifyCopy } from './verify-copy.ts'

export type OnStage = (stage: 'Copied' | 'Verified', done: number, total: number) => void

/** The target stays marked until the caller passes the returned position to `endCopy`. @throws CopyError */
export async function copyInto(
  target: Kysely<Tables>,
  copy: Copy,
  source: Kysely<Tables>,
  onStage: OnStage,
): Promise<CopyPosition> {
  await assertKnownSchema(source)
  await assertEmptyOrBegun(target, copy)
  await migrate(target)
  await beginCopy(target, copy)
  await copyTables(source, target, (done, total) => onStage('Copied', done, total))
  const position = await getPosition(target)
  await verifyCopy(source, target, (done, total) => onStage('Verified', done, total))
  return position
}

/** @throws CopyError when the source has tables or columns that this version does not know, and would lose */
export async function assertKnownSchema(source: Kysely<Tables>): Promise<void> {
  const newer = (await listAppliedMigrations(source)).filter(({ name }) => !(name in MIGRATIONS))
  if (newer.length === 0) return
  const names = newer.map(({ name }) => name).join(', ')
  throw new CopyError(
    `The source has migrations that this version of Accounts does not know: ${names}. Use the version that migrated it, or a later one.`,
  )
}
