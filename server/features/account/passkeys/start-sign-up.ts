import type { Context } from '../../../core/context.ts'
import { forAnotherAddress } from '../../../core/invitations/for-another-address.ts'
import { getInvitationForSignUp } from '../../../core/invitations/get-usable-invitation.ts'
import type { InvitationReference } from '../../../core/invitations/reference.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import { findUserByEmail } from '../../../core/users/find-user.ts'
import { newId } from '../../../platform/crypto/tokens.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { type ChallengeBinding, createChallenge } from './challenge.ts'
import { type AuthenticatorAttachment, createRegistrationOptions } from './registration-options.ts'
import { relyingPartyOf } from './relying-party.ts'

interface SignUpStart {
  name: string | undefined
  /** The invited address that the page shows. The browser may have opened another invitation since. */
  expectedEmail: string | undefined
  attachment: AuthenticatorAttachment | undefined
  /** From the link of the invitation email, which verifies the email address. */
  invitation: InvitationReference | undefined
  bindings: ChallengeBinding[]
}

/**
 * The user id is created now, because the authenticator stores it. The user is inserted with the passkey.
 * @throws ApiError VALIDATION_ERROR; as `getInvitationForSignUp`; INVITATION_REQUIRED; USER_ALREADY_EXISTS
 */
export async function startSignUp(
  context: Context,
  { name, expectedEmail, attachment, invitation: reference, bindings }: SignUpStart,
) {
  if (name === undefined) throw new ApiError('VALIDATION_ERROR', { field: 'name', message: 'name is missing.' })
  const { database, config, now } = context
  const { invitation } = await getInvitationForSignUp(database, now(), reference)
  const { email, secretHash } = invitation
  if (expectedEmail !== undefined && parseEmailAddress(expectedEmail, 'expectedEmail') !== email)
    throw forAnotherAddress('expectedEmail')
  if (await findUserByEmail(database, email)) throw new ApiError('USER_ALREADY_EXISTS')
  const user = { id: newId('usr', context), email, name }
  const challenge = await createChallenge(context, 'sign up with passkey', {
    caller: null,
    data: { ...user, invitation: { id: invitation.id, secretHash }, bindings },
  })
  return createRegistrationOptions(relyingPartyOf(config), { challenge, user, existing: [], attachment })
}
