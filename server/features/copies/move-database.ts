import type { Kysely } from 'kysely'
import { OPERATOR } from '../../core/audit/actor.ts'
import type { Context } from '../../core/context.ts'
import { inTransaction } from '../../core/in-transaction.ts'
import type { Config } from '../../platform/config/config.ts'
import { CopyError } from '../../platform/database/copy/copy-error.ts'
import { copyInto, type OnStage } from '../../platform/database/copy/copy-into.ts'
import { type Copy, endCopy } from '../../platform/database/copy/copy-state.ts'
import { describeDatabase } from '../../platform/database/copy/describe-database.ts'
import { assertNoService, assertUnused, withLockedPostgres } from '../../platform/database/copy/postgres-source.ts'
import { assertUndamaged, openExclusively } from '../../platform/database/copy/sqlite-source.ts'
import { onConnection } from '../../platform/database/on-connection.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { isUnavailable } from '../../platform/database/unavailable.ts'

const REPAIR =
  'If the damage is in an index, stop every process and run reindex in sqlite3. Else restore a backup (docs/backup.md).'

interface Locked {
  database: Kysely<Tables>
  /** @throws CopyError when another process was started on the source; an error of the database without the lock */
  assertStillLocked: () => Promise<void>
}

/** Runs before migrations, which an earlier version that uses the source may not support. @throws CopyError */
export async function assertSourceUnused({ config, database }: Context): Promise<void> {
  if (config.database.engine === 'postgres') return assertUnused(database)
  openExclusively(config.database.path).close()
}

/** No process can change the source: acknowledged changes would be lost. @throws CopyError; MigrationError */
export async function moveDatabase(source: Context, target: Context, onStage: OnStage): Promise<void> {
  const [from, to] = [source.config.database, target.config.database]
  await withLocked(source, async ({ database, assertStillLocked }) => {
    const verified = await onTarget(async () => {
      await assertNoService(target.database)
      return copyInto(target.database, moveOf(from), database, onStage)
    })
    await assertStillLocked()
    await onTarget(async () => {
      await assertNoService(target.database)
      await inTransaction(target, OPERATOR, async ({ transaction, record }) => {
        await endCopy(transaction, verified)
        await record({ action: 'database.moved', details: { from: from.engine, to: to.engine } })
      })
    })
  })
}

export function moveOf(from: Config['database']): Copy {
  return { kind: 'move', source: describeDatabase(from) }
}

/** The error names the target: any other error would blame DATABASE_URL, which is the source. @throws CopyError */
async function onTarget<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isUnavailable(error)) throw error
    const reason = (error as Error).message
    throw new CopyError(
      `The target (--to) is not available: ${reason}. Check its server or its disk, and run the command again: it continues.`,
      { cause: error },
    )
  }
}

async function withLocked({ config, database }: Context, use: (locked: Locked) => Promise<void>): Promise<void> {
  const settings: Config['database'] = config.database
  if (settings.engine === 'postgres')
    return withLockedPostgres(database, (locked, assertStillLocked) => use({ database: locked, assertStillLocked }))
  const connection = openExclusively(settings.path)
  try {
    assertUndamaged(connection, settings.path, REPAIR)
    // The lock of a file ends with this process.
    await use({ database: onConnection(connection), assertStillLocked: async () => {} })
  } finally {
    connection.close()
  }
}
