import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { hasPassword } from '../../../core/credentials/has-password.ts'
import { listPasskeysOf, removePasskey } from '../../../core/credentials/passkey-store.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import { lockUserForUpdate } from '../../../core/users/lock-user.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail } from '../../../platform/mail/outbox.ts'
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
  await inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    await lockUserForUpdate(transaction, user.id)
    const passkeys = await listPasskeysOf(transaction, user.id)
    const passkey = passkeys.find((row) => row.id === id)
    if (!passkey) throw new ApiError('PASSKEY_NOT_FOUND')
    if (passkeys.length === 1 && !(await hasPassword(transaction, user.id))) throw new ApiError('LAST_WAY_TO_SIGN_IN')

    await removePasskey(transaction, user.id, id)
    await revokeSessionsOfUser(unit, user.id, session.id)
    await unit.record({
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
    await unit.send(prepareEmail(context, email))
  })
}
