import { insertPasskey, listPasskeysOfUser } from '../../../core/credentials/passkey-store.ts'
import type { UnitOfWork } from '../../../core/in-transaction.ts'
import { newId } from '../../../platform/crypto/tokens.ts'
import type { PasskeyRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import type { NewCredential } from './verify-attestation.ts'

export const PASSKEYS_PER_USER_MAXIMUM = 100

interface NewPasskey {
  userId: string
  name: string
  credential: NewCredential
}

/** The transaction has locked the user. @throws ApiError PREVIOUSLY_REGISTERED; PASSKEY_LIMIT_REACHED */
export async function storePasskey(
  { transaction, context, record }: UnitOfWork,
  { userId, name, credential }: NewPasskey,
): Promise<PasskeyRow> {
  const passkey = await insertPasskey(transaction, {
    id: newId('psk', context),
    userId,
    name,
    createdAt: context.now(),
    lastUsedAt: null,
    isImported: 0,
    ...credential,
  })
  if (!passkey) throw new ApiError('PREVIOUSLY_REGISTERED')
  if ((await listPasskeysOfUser(transaction, userId)).length > PASSKEYS_PER_USER_MAXIMUM)
    throw new ApiError('PASSKEY_LIMIT_REACHED')
  await record({
    action: 'passkey.added',
    subjectId: userId,
    details: { passkeyId: passkey.id, name: passkey.name, aaguid: passkey.aaguid },
  })
  return passkey
}
