import type { Static } from 'typebox'
import type { Actor } from '../audit/actor.ts'
import type { Context } from '../context.ts'
import type { PasskeyRow, UserRow } from '../database/tables.ts'
import { ApiError } from '../http/errors.ts'
import { findUsableInvitation, holdUsableInvitation } from '../invitations/find-usable-invitation.ts'
import { recordInvitationEvent } from '../invitations/record-invitation-event.ts'
import { type NewSession, startSession } from '../sessions/start-session.ts'
import { createUser } from '../users/create-user.ts'
import { auditRefusals } from './audit-refusals.ts'
import type { Place } from './challenge.ts'
import { finishRegistration } from './finish-registration.ts'
import { keepPasskey } from './keep-passkey.ts'
import type { RegistrationResponse } from './schemas.ts'

interface SignUp {
  response: Static<typeof RegistrationResponse>
  /** `{id}.{secret}` from the letter's link: it proves the mailbox. */
  invitationReference: string
  /** Undefined when the browser has lost the cookie that it began with. */
  place: Place | undefined
}

/**
 * Makes the account of somebody who was invited, with the passkey that their browser made, and signs them in. The
 * invitation stays open until it is accepted.
 * @throws ApiError as `finishRegistration`; the reason of `findUsableInvitation`; INVITATION_REQUIRED when it is for
 *   another address than the ceremony began with; USER_ALREADY_EXISTS; PREVIOUSLY_REGISTERED
 */
export function signUpWithPasskey(
  context: Context,
  actor: Actor,
  { response, invitationReference, place }: SignUp,
): Promise<NewSession & { user: UserRow; passkey: PasskeyRow }> {
  const ceremony = 'sign up with passkey'
  return auditRefusals(context, actor, ceremony, response.id, async () => {
    const { credential, data } = await finishRegistration(context, ceremony, place, response)
    const { id, email, name } = data as { id: string; email: string; name: string }
    const { invitation } = await findUsableInvitation(context.database, context.now(), invitationReference)
    if (invitation.email !== email) throw new ApiError('INVITATION_REQUIRED')

    return context.database.transaction().execute(async (transaction) => {
      const user = await createUser(transaction, context, actor, { id, name, email, emailVerified: true })
      await holdUsableInvitation(transaction, context.now(), invitationReference)
      await recordInvitationEvent(transaction, context.now(), invitation.id, 'signed up')
      const self = { ...actor, actorId: user.id }
      const passkey = await keepPasskey(transaction, context, self, { userId: user.id, name: undefined, credential })
      const started = await startSession(transaction, context, self, { userId: user.id, rememberMe: true })
      return { ...started, user, passkey }
    })
  })
}
