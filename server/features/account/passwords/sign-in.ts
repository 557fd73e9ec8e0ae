import type { Kysely } from 'kysely'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { parsePassword } from '../../../core/credentials/parse-password.ts'
import { budgetsOfSignIn } from '../../../core/credentials/password-budgets.ts'
import { replacePasswordHash } from '../../../core/credentials/password-store.ts'
import type { Device } from '../../../core/devices/device.ts'
import { chooseKnownDevice, listDevicesToFind } from '../../../core/devices/known-device.ts'
import { prepareNewDeviceEmail, prepareUnfinishedSignInEmail } from '../../../core/devices/new-device-email.ts'
import { verifyTrustedDevice } from '../../../core/devices/trusted-device.ts'
import { asUser, inTransaction, type UnitOfWork } from '../../../core/in-transaction.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { AUTHENTICATION_METHODS } from '../../../core/sessions/authentication-methods.ts'
import { revokeFormerUnlessOwn } from '../../../core/sessions/revoke-session.ts'
import { type SignedIn, startSession } from '../../../core/sessions/start-session.ts'
import { isBanned } from '../../../core/users/banned.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import type { Tables, UserRow } from '../../../platform/database/tables.ts'
import { ApiError, type ErrorCode } from '../../../platform/http/errors.ts'
import { type PreparedEmail, sendEmailUnlessLimited } from '../../../platform/mail/outbox.ts'
import { askForSecondStep, type SecondStepDue } from './ask-for-second-step.ts'
import { findSigningIn, lockUserWithPasswordForUpdate, type UserAndPasswordHash } from './sign-in-store.ts'
import { verifySignInPassword } from './verify-sign-in-password.ts'

interface PasswordAttempt {
  email: string
  password: string
  rememberMe: boolean
  /** The session in the cookie. It is revoked, and the new session has nothing of its row (CVE-2024-28197). */
  formerToken: string | undefined
  trustTokens: string[]
  /** The challenge in the cookie, of a sign-in in the same browser that waits for the second step. */
  formerChallengeToken: string | undefined
  device: Device
}

/**
 * @throws ApiError INVALID_EMAIL; PASSWORD_TOO_LONG; INVALID_EMAIL_OR_PASSWORD for an unknown email address and for a
 *   wrong password; BANNED_USER only with the right password; TOO_MANY_REQUESTS
 */
export async function signIn(
  context: Context,
  rateLimits: RateLimits,
  actor: Actor,
  attempt: PasswordAttempt,
): Promise<SignedIn | SecondStepDue> {
  const verified = await verifyAttempt(context, rateLimits, actor, attempt)
  const started = await inTransaction(context, actor, (unit) => startOrAskForSecondStep(unit, attempt, verified))
  return started ?? signIn(context, rateLimits, actor, attempt)
}

interface VerifiedAttempt {
  email: string
  passwordHash: string
  /** A new hash of the same password, if the parameters of the stored one are older. */
  newerHash: string | undefined
  /** Undefined on a known device. */
  newDeviceEmail: PreparedEmail | undefined
  /** The email about a sign-in without its second step. Undefined on a known device. */
  unfinishedEmail: PreparedEmail | undefined
}

/** Prepares the emails and the newer hash, because they are too slow for the transaction. */
async function verifyAttempt(
  context: Context,
  rateLimits: RateLimits,
  actor: Actor,
  { email: address, password: text, device }: PasswordAttempt,
): Promise<VerifiedAttempt> {
  const { config, database, passwords, now } = context
  const email = parseEmailAddress(address)
  const password = parsePassword(text)
  passwords.assertNotBusy()
  const found = await findSigningIn(database, email, listDevicesToFind(device, actor.ipAddress), now())
  const knownDevice = chooseKnownDevice(found?.knownDevices, device)
  const budgets = budgetsOfSignIn(config, email, found?.user.id, knownDevice, actor.ipAddress)
  const isRight = await rateLimits.tryPassword(budgets, () =>
    verifySignInPassword(context, found?.passwordHash, password),
  )
  if (!isRight || !found?.passwordHash) {
    recordFailure(context, actor, found?.user, { reason: describeFailure(found) })
    throw new ApiError('INVALID_EMAIL_OR_PASSWORD')
  }
  const { user, passwordHash } = found
  if (isBanned(user, now())) {
    recordFailure(context, actor, user, { code: 'BANNED_USER' })
    throw new ApiError('BANNED_USER', { about: { subjectId: user.id } })
  }
  const newerHash = passwords.needsRenewal(passwordHash) ? await passwords.hash(password) : undefined
  const isCurrentDevice = knownDevice?.device === device.hash && knownDevice?.isFormer === false
  const newDeviceEmail = isCurrentDevice ? undefined : prepareNewDeviceEmail(context, actor)
  const needsNotice = !isCurrentDevice && user.twoFactorEnabled === 1
  const unfinishedEmail = needsNotice ? prepareUnfinishedSignInEmail(context, actor, user.id) : undefined
  return { email, passwordHash, newerHash, newDeviceEmail, unfinishedEmail }
}

function recordFailure(
  { repeatedEvents }: Context,
  actor: Actor,
  user: UserRow | undefined,
  cause: { reason: string } | { code: ErrorCode },
): void {
  const details = { method: 'password', ...cause }
  repeatedEvents.add(actor, { action: 'sign-in.failed', ...(user && { subjectId: user.id }), details })
}

function describeFailure(found: UserAndPasswordHash | undefined): string {
  if (!found) return 'unknown email address'
  return found.passwordHash === undefined ? 'no password' : 'wrong password'
}

/** @returns undefined when the password was changed or the user was banned concurrently */
async function startOrAskForSecondStep(
  unit: UnitOfWork,
  attempt: PasswordAttempt,
  verified: VerifiedAttempt,
): Promise<SignedIn | SecondStepDue | undefined> {
  const { transaction, context, actor } = unit
  const { email, passwordHash, newerHash, newDeviceEmail, unfinishedEmail } = verified
  const user = await lockUnchangedUser(transaction, email, passwordHash, context.now())
  if (!user) return undefined
  if (newerHash) await replacePasswordHash(transaction, user.id, passwordHash, { newHash: newerHash })
  const own = await revokeFormerUnlessOwn(unit, user.id, attempt.formerToken)
  const hasTwoSteps = user.twoFactorEnabled === 1
  const isTrusted = hasTwoSteps && (await verifyTrustedDevice(transaction, context.now(), user.id, attempt.trustTokens))
  if (hasTwoSteps && !isTrusted) {
    // Two-step verification may have been turned on since the look-up.
    const notice = newDeviceEmail && (unfinishedEmail ?? prepareUnfinishedSignInEmail(context, actor, user.id))
    return askForSecondStep(unit, user, { ...attempt, own, notice })
  }
  const session = await startSession(asUser(unit, user.id), {
    userId: user.id,
    rememberMe: attempt.rememberMe,
    device: attempt.device,
    authenticationMethods: AUTHENTICATION_METHODS[isTrusted ? 'password on trusted device' : 'password'],
    method: 'password',
    replaced: own,
  })
  // A known device may expire between the two look-ups, so the prepared email may be missing.
  if (session.isOnAdditionalDevice)
    await sendEmailUnlessLimited(unit, {
      ...(newDeviceEmail ?? prepareNewDeviceEmail(context, actor)),
      recipient: user.email,
    })
  return { ...session, user }
}

/** Verifying a password is slow. A session that starts after a concurrent ban or password change would survive it. */
async function lockUnchangedUser(
  transaction: Kysely<Tables>,
  email: string,
  passwordHash: string,
  now: number,
): Promise<UserRow | undefined> {
  const found = await lockUserWithPasswordForUpdate(transaction, email)
  return found?.passwordHash === passwordHash && !isBanned(found.user, now) ? found.user : undefined
}
