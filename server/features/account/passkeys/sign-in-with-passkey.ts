import type { Kysely } from 'kysely'
import type { Static } from 'typebox'
import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { findPasskey, updatePasskeyAfterUse } from '../../../core/credentials/passkey-store.ts'
import type { Device } from '../../../core/devices/device.ts'
import { prepareNewDeviceEmail } from '../../../core/devices/new-device-email.ts'
import { asUser, inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import { AUTHENTICATION_METHODS } from '../../../core/sessions/authentication-methods.ts'
import { revokeFormerUnlessOwn, revokeSession } from '../../../core/sessions/revoke-session.ts'
import { rotateSession } from '../../../core/sessions/rotate-session.ts'
import { type NewSession, type SignedIn, startSession } from '../../../core/sessions/start-session.ts'
import { endFormerChallenge } from '../../../core/two-step/challenge.ts'
import { isBanned } from '../../../core/users/banned.ts'
import { lockUserForUpdate } from '../../../core/users/lock-user.ts'
import type { PasskeyRow, Tables, UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { deleteWaitingEmail, sendEmailUnlessLimited } from '../../../platform/mail/outbox.ts'
import { auditRefusals } from './audit-refusals.ts'
import { type ChallengeBinding, consumeChallenge } from './challenge.ts'
import { assertOrigin, parseClientData } from './check-ceremony.ts'
import { relyingPartyOf } from './relying-party.ts'
import type { AuthenticationResponse } from './schemas.ts'
import { type Assertion, verifyAssertion } from './verify-assertion.ts'

interface PasskeyAttempt {
  response: Static<typeof AuthenticationResponse>
  bindings: ChallengeBinding[]
  caller: Caller | null
  /** The session in the cookie, which is revoked (CVE-2024-28197). */
  formerToken: string | undefined
  formerChallengeToken: string | undefined
  /** A session that the passkey makes fresh keeps its own value. */
  rememberMe: boolean
  device: Device
}

/**
 * @throws ApiError CHALLENGE_…; PASSKEY_…; UNKNOWN_PASSKEY; USER_VERIFICATION_REQUIRED; AUTHENTICATION_FAILED;
 *   BANNED_USER; UNAUTHORIZED as `rotateOrStart`
 */
export function signInWithPasskey(context: Context, actor: Actor, input: PasskeyAttempt): Promise<SignedIn> {
  const { response, bindings } = input
  const ceremony = 'sign in with passkey'
  return auditRefusals(context, actor, ceremony, response.id, async () => {
    const { database, config } = context
    const clientData = parseClientData(ceremony, response.response.clientDataJSON)
    const { userId } = await consumeChallenge(context, ceremony, clientData.challenge, bindings)
    assertOrigin(clientData, relyingPartyOf(config))
    const passkey = await findPasskey(database, response.id)
    if (!passkey) throw new ApiError('UNKNOWN_PASSKEY')
    if (userId !== null && userId !== passkey.userId) throw new ApiError('PASSKEY_OF_ANOTHER_USER')
    const assertion = await verifyAssertion(relyingPartyOf(config), clientData.challenge, response, passkey)
    const newDeviceEmail = prepareNewDeviceEmail(context, actor)

    return inTransaction(context, actor, async (unit) => {
      const user = await useCredential(unit.transaction, context, passkey, assertion)
      const waitingId = await endChallenge(unit, user.id, input.formerChallengeToken)
      // A ceremony without a user starts a new session: an app may ask a signed-in user to sign in again.
      const caller = userId === null ? null : input.caller
      const started = await rotateOrStart(unit, user, { ...input, caller }, waitingId)
      if (started.isOnAdditionalDevice) await sendEmailUnlessLimited(unit, { ...newDeviceEmail, recipient: user.email })
      return { ...started, user }
    })
  })
}

/** Checks again under the lock: the counter may have changed, or another user may have registered a deleted passkey. */
async function useCredential(
  transaction: Kysely<Tables>,
  context: Context,
  verified: PasskeyRow,
  assertion: Assertion,
): Promise<UserRow> {
  const user = await lockUserForUpdate(transaction, verified.userId)
  const passkey = await findPasskey(transaction, verified.credentialID)
  if (!user || passkey?.id !== verified.id) throw new ApiError('UNKNOWN_PASSKEY')
  if (isClone(passkey.counter, assertion.counter)) throw new ApiError('PASSKEY_COUNTER_WENT_BACK')
  if (isBanned(user, context.now())) throw new ApiError('BANNED_USER', { about: { subjectId: user.id } })
  await updatePasskeyAfterUse(transaction, passkey.id, { ...assertion, lastUsedAt: context.now() })
  return user
}

/** A cloned authenticator has a counter of its own (WebAuthn, section 6.1.1). Many authenticators always send zero. */
function isClone(storedCounter: number, counter: number): boolean {
  return (storedCounter > 0 || counter > 0) && counter <= storedCounter
}

/** The passkey follows the password in the same browser, so no email says that the sign-in was not finished. */
async function endChallenge(
  { transaction, context }: UnitOfWork,
  userId: string,
  formerChallengeToken: string | undefined,
): Promise<string | undefined> {
  const { noticeId, formerSessionId } = await endFormerChallenge(
    transaction,
    context.now(),
    userId,
    formerChallengeToken,
  )
  if (noticeId !== undefined) await deleteWaitingEmail(transaction, noticeId)
  return formerSessionId
}

/** @throws ApiError UNAUTHORIZED when the caller's session was revoked, or its token replaced, concurrently */
async function rotateOrStart(
  unit: UnitOfWork,
  user: UserRow,
  { caller, formerToken, rememberMe, device }: PasskeyAttempt,
  waitingId: string | undefined,
): Promise<NewSession> {
  const own = caller?.user.id === user.id ? caller : undefined
  const authenticationMethods = AUTHENTICATION_METHODS.passkey
  if (own) {
    const other = formerToken === own.token ? undefined : await revokeFormerUnlessOwn(unit, user.id, formerToken)
    if (other) await revokeSession(unit, other)
    return rotateSession(asUser(unit, user.id), own, authenticationMethods)
  }
  return startSession(asUser(unit, user.id), {
    userId: user.id,
    rememberMe,
    device,
    authenticationMethods,
    method: 'passkey',
    replaced: await revokeFormerUnlessOwn(unit, user.id, formerToken, waitingId),
  })
}
