import { insertPasskey, listPasskeysOf } from '../../../core/credentials/passkey-store.ts'
import type { UnitOfWork } from '../../../core/in-transaction.ts'
import { newId } from '../../../platform/crypto/tokens.ts'
import type { PasskeyRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { authenticatorName } from './authenticator-name.ts'
import type { NewCredential } from './verify-attestation.ts'

/** Of one user. */
const PASSKEYS_MAXIMUM = 100

interface NewPasskey {
  userId: string
  /** Else the authenticator's. */
  name: string | undefined
  credential: NewCredential
}

/**
 * Adds a checked credential to a user's account, within the caller's transaction, which has locked the user.
 * @throws ApiError PREVIOUSLY_REGISTERED, by any user; PASSKEY_LIMIT_REACHED
 */
export async function storePasskey(unit: UnitOfWork, { userId, name, credential }: NewPasskey): Promise<PasskeyRow> {
  const { transaction, context } = unit
  const passkey = await insertPasskey(transaction, {
    id: newId('psk', context),
    userId,
    name: name ?? authenticatorName(credential.aaguid),
    createdAt: context.now(),
    ...credential,
  })
  if (!passkey) throw new ApiError('PREVIOUSLY_REGISTERED')
  if ((await listPasskeysOf(transaction, userId)).length > PASSKEYS_MAXIMUM) throw new ApiError('PASSKEY_LIMIT_REACHED')
  await unit.record({
    action: 'passkey.added',
    subjectId: userId,
    details: { passkeyId: passkey.id, name: passkey.name, aaguid: passkey.aaguid },
  })
  return passkey
}
