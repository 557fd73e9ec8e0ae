import type { Kysely } from 'kysely'
import type { Actor } from '../../../core/audit/actor.ts'
import { recordEvent } from '../../../core/audit/record-event.ts'
import type { Context } from '../../../core/context.ts'
import { insertPasskey, listPasskeysOf } from '../../../core/credentials/passkey-store.ts'
import { newId } from '../../../platform/crypto/tokens.ts'
import type { PasskeyRow, Tables } from '../../../platform/database/tables.ts'
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
export async function storePasskey(
  transaction: Kysely<Tables>,
  context: Context,
  actor: Actor,
  { userId, name, credential }: NewPasskey,
): Promise<PasskeyRow> {
  const passkey = await insertPasskey(transaction, {
    id: newId('psk', context),
    userId,
    name: name ?? authenticatorName(credential.aaguid),
    createdAt: context.now(),
    ...credential,
  })
  if (!passkey) throw new ApiError('PREVIOUSLY_REGISTERED')
  if ((await listPasskeysOf(transaction, userId)).length > PASSKEYS_MAXIMUM) throw new ApiError('PASSKEY_LIMIT_REACHED')
  await recordEvent(transaction, context, actor, {
    action: 'passkey.added',
    subjectId: userId,
    details: { passkeyId: passkey.id, name: passkey.name, aaguid: passkey.aaguid },
  })
  return passkey
}
