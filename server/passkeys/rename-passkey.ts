import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import type { PasskeyRow } from '../database/tables.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import { updateName } from './store.ts'

/** @throws ApiError PASSKEY_NOT_FOUND, for another's as for none */
export async function renamePasskey(
  context: Context,
  actor: Actor,
  { user }: Caller,
  { id, name }: { id: string; name: string },
): Promise<PasskeyRow> {
  return context.database.transaction().execute(async (transaction) => {
    const passkey = await updateName(transaction, user.id, id, name)
    if (!passkey) throw new ApiError('PASSKEY_NOT_FOUND')
    await recordEvent(transaction, context, actor, {
      action: 'passkey.renamed',
      subjectId: user.id,
      details: { passkeyId: id, name },
    })
    return passkey
  })
}
