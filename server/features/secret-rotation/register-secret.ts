import type { Transaction } from 'kysely'
import type { Context } from '../../core/context.ts'
import { insertSecretGeneration, listSecretGenerations } from '../../core/secret-generations/store.ts'
import { isRepetitive } from '../../platform/crypto/keyring.ts'
import { LOST_SECRET_ADVICE, MAKE_SECRET_ADVICE, SecretError } from '../../platform/crypto/secret-file.ts'
import { assertNoCopy } from '../../platform/database/copy/copy-state.ts'
import { type Report, underMigrationLock } from '../../platform/database/migration-lock.ts'
import type { SecretGenerationRow, Tables } from '../../platform/database/tables.ts'
import { canDecryptSigningKeys } from '../tokens/signing-keys.ts'
import { findNewestKey } from '../tokens/store.ts'

/**
 * With PREVIOUS_SECRET, a new SECRET is the next generation. The first of concurrent processes succeeds.
 * @throws SecretError when SECRET is unknown, swapped or repetitive; CopyError in the unfinished target of a copy
 */
export async function registerSecret(context: Context, report?: Report): Promise<void> {
  const { database, keyring, now } = context
  const newest = await readFittingGeneration(context)
  await assertNotSwapped(context)
  if (newest?.secretId === keyring.secretId) return
  // A SECRET in use is not refused, because its backups must stay usable. `doctor` names it.
  const isInUse = !newest && (await findNewestKey(database)) !== undefined
  if (!isInUse && isRepetitive(context.config.secret))
    throw new SecretError(`${REPETITIVE_SECRET}. ${MAKE_SECRET_ADVICE}`)
  const generation = (newest?.generation ?? 0) + 1
  const row = { generation, secretId: keyring.secretId, retiredKeys: null, createdAt: now() }
  // `beginCopy` takes the same lock: either the copy finds this row in its target, or this process finds the copy.
  const insert = async (transaction: Transaction<Tables>) => {
    await assertNoCopy(transaction)
    return insertSecretGeneration(transaction, row)
  }
  if (!(await underMigrationLock(database, insert, report))) await registerSecret(context, report)
}

/** @throws SecretError when the database depends on a SECRET that this process does not have */
export async function assertSecretFits(context: Context): Promise<void> {
  await readFittingGeneration(context)
}

/** @returns undefined in a new database @throws SecretError when this process lacks a SECRET that is needed */
export async function readFittingGeneration(context: Context): Promise<SecretGenerationRow | undefined> {
  const generations = await listSecretGenerations(context.database)
  const newest = generations.at(-1)
  if (newest) assertKnown(context, generations, newest)
  else if (!(await canDecryptSigningKeys(context))) throw new SecretError(OTHER_SECRET)
  return newest
}

const OTHER_SECRET = `SECRET is not the one that this database was made with: set it (or the file beside a SQLite database) back to that one. ${LOST_SECRET_ADVICE} To replace it, follow "Replacing SECRET" there.`
export const REPETITIVE_SECRET = 'SECRET has so few different characters that it can be guessed'
const UNFINISHED_ROTATION =
  'SECRET is being replaced, and the one before is still needed: set PREVIOUS_SECRET to it, and run npm run accounts -- keys rotate-secret.'
const SWAPPED_SECRETS =
  'SECRET is one that PREVIOUS_SECRET has replaced: the two are swapped. Set SECRET to the newer one, and PREVIOUS_SECRET to the one before.'
const UNUSED_PREVIOUS_SECRET =
  'Nothing in this database depends on PREVIOUS_SECRET. If you replace SECRET, the two are swapped: set SECRET to the new one, and PREVIOUS_SECRET to the one before. Otherwise remove PREVIOUS_SECRET.'

function assertKnown({ keyring }: Context, generations: SecretGenerationRow[], newest: SecretGenerationRow): void {
  const known = keyring.knownSecretIds
  if (!known.includes(newest.secretId)) throw new SecretError(OTHER_SECRET)
  const needed = generations.filter(({ retiredKeys }) => retiredKeys === null)
  if (!needed.every(({ secretId }) => known.includes(secretId))) throw new SecretError(UNFINISHED_ROTATION)
}

/** With swapped secrets, `keys rotate-secret` would leave the old SECRET in use. @throws SecretError */
export async function assertNotSwapped({ database, keyring }: Context): Promise<void> {
  const [current, ...previous] = keyring.knownSecretIds
  const ids = (await listSecretGenerations(database)).map(({ secretId }) => secretId)
  if (ids.slice(0, -1).some((id) => id === current)) throw new SecretError(SWAPPED_SECRETS)
  if (previous.every((id) => ids.includes(id))) return
  // A database of an early version has no generations, but its signing key names its SECRET.
  const key = await findNewestKey(database)
  if (!key || keyring.isCurrent(key.encryptedPrivateJwk)) throw new SecretError(UNUSED_PREVIOUS_SECRET)
}
