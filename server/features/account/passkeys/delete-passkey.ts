import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import { recordEvent } from '../../../core/audit/record-event.ts'
import type { Context } from '../../../core/context.ts'
import { hasPassword } from '../../../core/credentials/has-password.ts'
import { listPasskeysOf, removePasskey } from '../../../core/credentials/passkey-store.ts'
import { revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import { lockUserForUpdate } from '../../../core/users/lock-user.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { enqueueEmail } from '../../../platform/mail/outbox.ts'
import { passkeyChangedEmail } from './emails.ts'

/**
 * Deletes a passkey of the caller's, ends every other session and tells the holder. The user is locked, so that of two
 * last passkeys that are deleted at once one stays.
 * @throws ApiError PASSKEY_NOT_FOUND, for another's as for none (GHSA-4vcf-q4xf-f48m); LAST_WAY_TO_SIGN_IN
 */
export async function deletePasskey(
  context: Context,
  actor: Actor,
  { user, session }: Caller,
  id: string,
): Promise<void> {
  await context.database.transaction().execute(async (transaction) => {
    await lockUserForUpdate(transaction, user.id)
    const passkeys = await listPasskeysOf(transaction, user.id)
    const passkey = passkeys.find((row) => row.id === id)
    if (!passkey) throw new ApiError('PASSKEY_NOT_FOUND')
    if (passkeys.length === 1 && !(await hasPassword(transaction, user.id))) throw new ApiError('LAST_WAY_TO_SIGN_IN')

    await removePasskey(transaction, user.id, id)
    await revokeSessionsOfUser(transaction, context, actor, user.id, session.id)
    await recordEvent(transaction, context, actor, {
      action: 'passkey.deleted',
      subjectId: user.id,
      details: { passkeyId: id, name: passkey.name },
    })
    const email = passkeyChangedEmail({
      change: 'deleted',
      recipient: user.email,
      passkeyName: passkey.name,
      circumstances: { at: context.now(), ...actor },
      link: `${context.config.baseUrl}/account/security`,
    })
    await enqueueEmail(transaction, context, email)
  })
}
