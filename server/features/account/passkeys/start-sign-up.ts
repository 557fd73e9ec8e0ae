import type { Context } from '../../../core/context.ts'
import { getInvitationForSignUp } from '../../../core/invitations/get-usable-invitation.ts'
import type { InvitationReference } from '../../../core/invitations/reference.ts'
import { findUserByEmail } from '../../../core/users/find-user.ts'
import { newId } from '../../../platform/crypto/tokens.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { issueChallenge, type Place } from './challenge.ts'
import { type Attachment, registrationOptions } from './registration-options.ts'
import { relyingPartyOf } from './relying-party.ts'

interface StartedSignUp {
  name: string | undefined
  attachment: Attachment | undefined
  /** From the link of the invitation email: it proves the mailbox. */
  invitation: InvitationReference | undefined
  places: Place[]
}

/**
 * Begins to make an account with a passkey and no password, for the address that was invited. The user gets an id now,
 * for the authenticator to keep, and a row once the passkey is there.
 * @throws ApiError VALIDATION_ERROR without a name; the reason of `getInvitationForSignUp`; USER_ALREADY_EXISTS
 */
export async function startSignUp(
  context: Context,
  { name, attachment, invitation: reference, places }: StartedSignUp,
) {
  if (name === undefined) throw new ApiError('VALIDATION_ERROR', { field: 'name', message: 'name is missing.' })
  const { database, config, now } = context
  const { invitation } = await getInvitationForSignUp(database, now(), reference)
  const { email } = invitation
  if (await findUserByEmail(database, email)) throw new ApiError('USER_ALREADY_EXISTS')
  const user = { id: newId('usr', context), email, name }
  const challenge = await issueChallenge(context, 'sign up with passkey', places, {
    caller: null,
    data: { ...user, invitation: reference },
  })
  return registrationOptions(relyingPartyOf(config), { challenge, user, existing: [], attachment })
}
