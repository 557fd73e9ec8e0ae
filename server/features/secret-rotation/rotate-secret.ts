import { OPERATOR } from '../../core/audit/actor.ts'
import { renewChainEndMacs, renewUnlinkedMacs, requireValidChainEnds } from '../../core/audit/renew-macs.ts'
import type { Context } from '../../core/context.ts'
import { inTransaction, type UnitOfWork } from '../../core/in-transaction.ts'
import { encryptRetiredKeys, renewRetiredKeys } from '../../core/secret-generations/retired-keys.ts'
import { lockGenerationsForUpdate, saveRetiredKeys } from '../../core/secret-generations/store.ts'
import { reencryptTwoStepSecrets } from '../../core/two-step/reencrypt-secrets.ts'
import { SecretError } from '../../platform/crypto/secret-file.ts'
import type { SecretGenerationRow } from '../../platform/database/tables.ts'
import { reencryptEmails } from '../../platform/mail/reencrypt-emails.ts'
import { reencryptSigningKeys } from '../tokens/reencrypt-signing-keys.ts'

/** Every step is idempotent, because an interrupted rotation continues while services run. @throws SecretError */
export async function rotateSecret(context: Context): Promise<{ damagedEmailCount: number }> {
  if (context.config.previousSecret === undefined) throw new SecretError(PREVIOUS_MISSING)
  await requireValidChainEnds(context.database, context)
  await reencryptSigningKeys(context)
  await reencryptTwoStepSecrets(context)
  const damagedEmailCount = await reencryptEmails(context)
  await renewUnlinkedMacs(context)
  await inTransaction(context, OPERATOR, retirePreviousSecrets)
  return { damagedEmailCount }
}

const PREVIOUS_MISSING =
  'PREVIOUS_SECRET is missing: set SECRET to a new one and PREVIOUS_SECRET to the one before, for every process, then run this again. "Replacing SECRET" in docs/operations.md has each step.'

async function retirePreviousSecrets({ transaction, context, record }: UnitOfWork): Promise<void> {
  const generations = await lockGenerationsForUpdate(transaction)
  const newest = generations.at(-1)
  if (newest?.secretId !== context.keyring.secretId) throw new SecretError(OTHER_ROTATION)
  const lastSequence = await renewChainEndMacs(transaction, context)
  for (const row of generations.slice(0, -1))
    await saveRetiredKeys(transaction, row.generation, retiredKeysOf(context, row, lastSequence))
  const details = { generation: newest.generation }
  await record({ action: 'secret.rotated', details })
}

const OTHER_ROTATION =
  'Another process has begun to replace SECRET by another one: give all of them the same SECRET and PREVIOUS_SECRET.'

function retiredKeysOf({ keyring }: Context, row: SecretGenerationRow, lastSequence: number): string {
  // Earlier generations keep their last sequence.
  if (row.retiredKeys !== null && !keyring.knownSecretIds.includes(row.secretId))
    return renewRetiredKeys(keyring, row.retiredKeys)
  return encryptRetiredKeys(keyring, row.secretId, lastSequence)
}
