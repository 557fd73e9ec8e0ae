import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { updatePasskeyName } from '../../../core/credentials/passkey-store.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
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
    const passkey = await updatePasskeyName(transaction, user.id, id, name)
    if (!passkey) throw new ApiError('PASSKEY_NOT_FOUND')
    await record({ action: 'passkey.renamed', subjectId: user.id, details: { passkeyId: id, name } })
    return passkey
  })
}
