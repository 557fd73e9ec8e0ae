import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { listPasskeysOfUser, updatePasskeyName } from '../../../core/credentials/passkey-store.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockUserForUpdate } from '../../../core/users/lock-user.ts'
import type { PasskeyRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/** @throws ApiError PASSKEY_NOT_FOUND, also for a passkey of another user */
export async function renamePasskey(
  context: Context,
  actor: Actor,
  { user }: Caller,
  { id, name }: { id: string; name: string },
): Promise<PasskeyRow> {
  return inTransaction(context, actor, async ({ transaction, record }) => {
    await lockUserForUpdate(transaction, user.id)
    const former = (await listPasskeysOfUser(transaction, user.id)).find((passkey) => passkey.id === id)
    const passkey = await updatePasskeyName(transaction, user.id, id, name)
    if (!former || !passkey) throw new ApiError('PASSKEY_NOT_FOUND')
    const details = { passkeyId: id, name, before: former.name }
    await record({ action: 'passkey.renamed', subjectId: user.id, details })
    return passkey
  })
}
