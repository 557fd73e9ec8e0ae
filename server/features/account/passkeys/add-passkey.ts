import type { Static } from 'typebox'
import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockSessionForShare } from '../../../core/sessions/lock-sessions.ts'
import { lockUserForUpdate } from '../../../core/users/lock-user.ts'
import type { PasskeyRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail } from '../../../platform/mail/outbox.ts'
import { auditRefusals } from './audit-refusals.ts'
import { placeOfSession } from './challenge.ts'
import { passkeyChangedEmail } from './emails.ts'
import { finishRegistration } from './finish-registration.ts'
import type { RegistrationResponse } from './schemas.ts'
import { storePasskey } from './store-passkey.ts'

interface Answer {
  response: Static<typeof RegistrationResponse>
  /** Else the one that the ceremony began with, else the authenticator's. */
  name: string | undefined
}

/**
 * Adds the passkey that the caller's browser made, and tells the holder.
 * @throws ApiError UNAUTHORIZED where the user is gone or the session is revoked; as `finishRegistration`;
 *   PREVIOUSLY_REGISTERED
 */
export function addPasskey(
  context: Context,
  actor: Actor,
  { user, session }: Caller,
  answer: Answer,
): Promise<PasskeyRow> {
  const ceremony = 'register passkey'
  return auditRefusals(context, actor, ceremony, answer.response.id, async () => {
    const places = [placeOfSession(session)]
    const { credential, data } = await finishRegistration(context, ceremony, places, answer.response)
    const name = answer.name ?? (typeof data.name === 'string' ? data.name : undefined)

    return inTransaction(context, actor, async (unit) => {
      const { transaction } = unit
      if (!(await lockUserForUpdate(transaction, user.id))) throw new ApiError('UNAUTHORIZED')
      if (!(await lockSessionForShare(transaction, session.id))) throw new ApiError('UNAUTHORIZED')
      const passkey = await storePasskey(unit, { userId: user.id, name, credential })
      const email = passkeyChangedEmail({
        change: 'added',
        recipient: user.email,
        passkeyName: passkey.name,
        circumstances: { at: passkey.createdAt, ...actor },
        link: `${context.config.baseUrl}/account/security`,
      })
      await unit.send(prepareEmail(context, email))
      return passkey
    })
  })
}
