import type { Static } from 'typebox'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import type { Device } from '../../../core/devices/device.ts'
import { asUser, inTransaction } from '../../../core/in-transaction.ts'
import { lockInvitationForSignUp } from '../../../core/invitations/get-usable-invitation.ts'
import { insertInvitationEvent } from '../../../core/invitations/invitation-events.ts'
import type { InvitationReference } from '../../../core/invitations/reference.ts'
import { AUTHENTICATION_METHODS } from '../../../core/sessions/authentication-methods.ts'
import { type SignedIn, startSession } from '../../../core/sessions/start-session.ts'
import { createUser } from '../../../core/users/create-user.ts'
import type { PasskeyRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { auditRefusals } from './audit-refusals.ts'
import { authenticatorName } from './authenticator-name.ts'
import type { ChallengeBinding } from './challenge.ts'
import { finishRegistration } from './finish-registration.ts'
import type { RegistrationResponse } from './schemas.ts'
import { storePasskey } from './store-passkey.ts'

interface SignUp {
  response: Static<typeof RegistrationResponse>
  cookieInvitation: InvitationReference | undefined
  bindings: ChallengeBinding[]
  device: Device
}

/**
 * @throws ApiError as `finishRegistration`, `lockInvitationForSignUp` and `storePasskey`; USER_ALREADY_EXISTS;
 *   INVITATION_REQUIRED when the browser has opened another invitation since
 */
export function signUpWithPasskey(
  context: Context,
  actor: Actor,
  { response, cookieInvitation, bindings, device }: SignUp,
): Promise<SignedIn & { passkey: PasskeyRow }> {
  const ceremony = 'sign up with passkey'
  return auditRefusals(context, actor, ceremony, response.id, async () => {
    const { credential, data } = await finishRegistration(context, ceremony, bindings, response)
    const { id, email, name, invitation: reference } = data
    if (cookieInvitation && cookieInvitation.id !== reference.id) throw new ApiError('INVITATION_REQUIRED')

    return inTransaction(context, actor, async (unit) => {
      const { transaction } = unit
      await lockInvitationForSignUp(transaction, context.now(), reference)
      const user = await createUser(unit, { id, name, email, emailVerified: true, origin: 'invitation' })
      await insertInvitationEvent(transaction, context.now(), reference.id, 'signed up')
      const ownUnit = asUser(unit, user.id)
      const passkeyName = authenticatorName(credential.aaguid, actor.userAgent)
      const passkey = await storePasskey(ownUnit, { userId: user.id, name: passkeyName, credential })
      const started = await startSession(ownUnit, {
        userId: user.id,
        rememberMe: true,
        device,
        authenticationMethods: AUTHENTICATION_METHODS.passkey,
      })
      return { ...started, user, passkey }
    })
  })
}
