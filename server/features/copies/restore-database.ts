import { realpathSync } from 'node:fs'
import type { Kysely } from 'kysely'
import { OPERATOR } from '../../core/audit/actor.ts'
import type { Context } from '../../core/context.ts'
import { inTransaction } from '../../core/in-transaction.ts'
import { SecretError } from '../../platform/crypto/secret-file.ts'
import { CopyError } from '../../platform/database/copy/copy-error.ts'
import { copyInto, type OnStage } from '../../platform/database/copy/copy-into.ts'
import { assertEmptyOrBegun, type Copy, endCopy } from '../../platform/database/copy/copy-state.ts'
import { assertNoService } from '../../platform/database/copy/postgres-source.ts'
import { countAll } from '../../platform/database/copy/rows.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { readFittingGeneration } from '../secret-rotation/register-secret.ts'
import { createSigningKey } from '../tokens/create-signing-key.ts'
import { findNewestKey } from '../tokens/store.ts'
import { type RevokedCredentials, revokeCredentials } from './revoke-credentials.ts'
import { withBackup } from './with-backup.ts'

/**
 * One transaction revokes all credentials that may have been revoked after the backup. No service starts before its
 * end.
 * @throws CopyError; MigrationError; SecretError
 */
export async function restoreDatabase(context: Context, file: string, onStage: OnStage): Promise<RevokedCredentials> {
  const { database } = context
  const verified = await withBackup(file, async (source) => {
    await assertHasRows(source, file)
    await assertSecretOf({ ...context, database: source })
    await assertEmptyOrBegun(database, restoreOf(file))
    await assertNoService(database)
    return copyInto(database, restoreOf(file), source, onStage)
  })
  const generation = ((await findNewestKey(database))?.generation ?? 0) + 1
  const key = await createSigningKey(context, { generation, activeAt: context.now() })
  await assertNoService(database)
  return inTransaction(context, OPERATOR, async (unit) => {
    await endCopy(unit.transaction, verified)
    const revoked = await revokeCredentials(unit, key)
    await unit.record({ action: 'database.restored', details: { ...revoked } })
    return revoked
  })
}

export function restoreOf(file: string): Copy {
  return { kind: 'restore', source: realpathSync(file) }
}

/** A start without PREVIOUS_SECRET must accept the SECRET of the new signing key and the audit event. */
async function assertSecretOf(source: Context): Promise<void> {
  const newest = await readFittingGeneration(source)
  const { secretId, knownSecretIds } = source.keyring
  if (newest?.secretId === secretId || knownSecretIds.length === 1) return
  throw new SecretError(
    'SECRET is not the newest one of the backup, but PREVIOUS_SECRET fits: set SECRET to that one, remove PREVIOUS_SECRET, and run the command again. After the restore, replace it as "Replacing SECRET" in docs/operations.md says.',
  )
}

/** A process that was killed before the first row leaves a backup with tables and without a mark. */
async function assertHasRows(source: Kysely<Tables>, file: string): Promise<void> {
  if ((await countAll(source)) === 0) throw new CopyError(`${file} has no rows. Restore a complete backup.`)
}
