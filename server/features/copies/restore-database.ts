import { realpathSync } from 'node:fs'
import type { Kysely } from 'kysely'
import { OPERATOR } from '../../core/audit/actor.ts'
import type { Context } from '../../core/context.ts'
import { inTransaction } from '../../core/in-transaction.ts'
import { CopyError } from '../../platform/database/copy/copy-error.ts'
import { copyInto, type OnStage } from '../../platform/database/copy/copy-into.ts'
import { endCopy } from '../../platform/database/copy/copy-state.ts'
import { countAll } from '../../platform/database/copy/copy-tables.ts'
import { assertNoService } from '../../platform/database/copy/postgres-source.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { assertSecretFits } from '../secret-rotation/register-secret.ts'
import { createSigningKey } from '../tokens/create-signing-key.ts'
import { findNewestKey } from '../tokens/store.ts'
import { type RevokedCredentials, revokeCredentials } from './revoke-credentials.ts'
import { withBackup } from './with-backup.ts'

/**
 * Copies a backup into an empty database, then ends what may have been revoked after the backup, in one transaction. No
 * service starts on the database before that.
 * @throws CopyError; MigrationError; SecretError
 */
export async function restoreDatabase(context: Context, file: string, onStage: OnStage): Promise<RevokedCredentials> {
  const { database } = context
  await assertNoService(database)
  await withBackup(file, async (source) => {
    await assertHasRows(source, file)
    await assertSecretFits({ ...context, database: source })
    await copyInto(database, { kind: 'restore', source: realpathSync(file) }, source, onStage)
  })
  const generation = ((await findNewestKey(database))?.generation ?? 0) + 1
  const key = await createSigningKey(context, { generation, activeAt: context.now() })
  await assertNoService(database)
  return inTransaction(context, OPERATOR, async (unit) => {
    await endCopy(unit.transaction)
    const revoked = await revokeCredentials(unit, key)
    await unit.record({ action: 'database.restored', details: { ...revoked } })
    return revoked
  })
}

/** A backup that was killed before its first row has tables, and no mark. */
async function assertHasRows(source: Kysely<Tables>, file: string): Promise<void> {
  if ((await countAll(source)) === 0) throw new CopyError(`${file} has no rows. Restore a complete backup.`)
}
