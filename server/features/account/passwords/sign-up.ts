import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { parseNewPassword } from '../../../core/credentials/parse-password.ts'
import { setPasswordHash } from '../../../core/credentials/password-store.ts'
import type { Device } from '../../../core/devices/device.ts'
import { asUser, inTransaction } from '../../../core/in-transaction.ts'
import { forAnotherAddress } from '../../../core/invitations/for-another-address.ts'
import { getInvitationForSignUp, lockInvitationForSignUp } from '../../../core/invitations/get-usable-invitation.ts'
import { insertInvitationEvent } from '../../../core/invitations/invitation-events.ts'
import { parseReference } from '../../../core/invitations/reference.ts'
import { AUTHENTICATION_METHODS } from '../../../core/sessions/authentication-methods.ts'
import { revokeFormerUnlessOwn } from '../../../core/sessions/revoke-session.ts'
import { type SignedIn, startSession } from '../../../core/sessions/start-session.ts'
import { createUser } from '../../../core/users/create-user.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import { findUserByEmail } from '../../../core/users/find-user.ts'
import { ApiError } from '../../../platform/http/errors.ts'

interface SignUp {
  name: string
  email: string
  password: string
  image?: string
  rememberMe: boolean
  /** `{id}.{secret}` from the link of the email, which verifies the email address. */
  invitationReference: string | undefined
  /** The session in the cookie, which may be another user's: it is revoked, as by a sign-in. */
  formerToken: string | undefined
  device: Device
}

/** @throws ApiError INVITATION_REQUIRED; as `getInvitationForSignUp`; INVALID_EMAIL; PASSWORD_…; USER_ALREADY_EXISTS */
export async function signUp(context: Context, actor: Actor, input: SignUp): Promise<SignedIn> {
  const { database, config, passwords } = context
  const email = parseEmailAddress(input.email)
  const reference = parseReference(input.invitationReference ?? '')
  const { invitation, organizationName } = await getInvitationForSignUp(database, context.now(), reference)
  if (invitation.email !== email) throw forAnotherAddress('email')
  // Checked before the slow hashing. The invitation stays open until it is accepted, so a repeated sign-up gets here.
  if (await findUserByEmail(database, email)) throw new ApiError('USER_ALREADY_EXISTS', { field: 'email' })
  const facts = { email, name: input.name, organizationNames: [organizationName] }
  const password = await parseNewPassword(config, facts, input.password)
  const passwordHash = await passwords.hash(password)

  return inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const { name, image, rememberMe, formerToken, device } = input
    await lockInvitationForSignUp(transaction, context.now(), reference)
    const user = await createUser(unit, {
      name,
      email,
      emailVerified: true,
      origin: 'invitation',
      ...(image !== undefined && { image }),
    })
    await setPasswordHash(transaction, context, user.id, passwordHash)
    await insertInvitationEvent(transaction, context.now(), invitation.id, 'signed up')
    await revokeFormerUnlessOwn(unit, user.id, formerToken)
    const started = await startSession(asUser(unit, user.id), {
      userId: user.id,
      rememberMe,
      device,
      authenticationMethods: AUTHENTICATION_METHODS.password,
    })
    return { ...started, user }
  })
}
