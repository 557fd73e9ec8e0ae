import { isBanned } from '../../../core/users/banned.ts'
import { toIso } from '../../../platform/http/time.ts'
import { formatTime } from '../../../platform/time/format-time.ts'
import type { SignInFacts } from './read-facts.ts'
import type { SignInReason } from './schemas.ts'
import { twoStepEnabled, twoStepLocked, twoStepRequired } from './two-step-reasons.ts'

/** The most important reason is first. */
export function reasonsOf(facts: SignInFacts, now: number): SignInReason[] {
  const rules = [
    noUser,
    ban,
    noCredential,
    tooManyGuesses,
    twoStepLocked,
    twoStepRequired,
    unverified,
    failedEmail,
    twoStepEnabled,
    openInvitation,
  ]
  return rules.flatMap((rule) => rule(facts, now) ?? [])
}

/** A passkey works even after too many wrong passwords or codes. */
export function canSignIn(facts: SignInFacts, now: number): boolean {
  const { user, passwordChangedAt, passkeys, guessesEndAt, twoStep } = facts
  if (!user || isBanned(user, now)) return false
  if (passkeys.length > 0) return true
  const isLocked = twoStep?.method !== undefined && twoStep.lockEndsAt !== undefined
  return passwordChangedAt !== undefined && guessesEndAt === undefined && !isLocked
}

function noUser({ user, email }: SignInFacts): SignInReason | undefined {
  if (user) return undefined
  return { code: 'NO_USER', message: `There is no user with the email address ${email}.` }
}

function ban({ user, lastBan }: SignInFacts, now: number): SignInReason | undefined {
  if (!user || !isBanned(user, now)) return undefined
  const by = lastBan?.actorName ? ` by ${lastBan.actorName}` : ''
  const since = lastBan ? ` since ${formatTime(lastBan.createdAt)}` : ''
  const until = user.banExpires === null ? 'without an end' : `until ${formatTime(user.banExpires)}`
  const reason = user.banReason === null ? '' : ` The reason: ${user.banReason}`
  return {
    code: 'BANNED',
    message: `The user is banned${by}${since}, ${until}.${reason}`,
    ...(lastBan && { since: toIso(lastBan.createdAt) }),
    ...(user.banExpires !== null && { until: toIso(user.banExpires) }),
  }
}

function noCredential({ user, passwordChangedAt, passkeys }: SignInFacts): SignInReason | undefined {
  if (!user || passwordChangedAt !== undefined || passkeys.length > 0) return undefined
  const message = 'The user has neither a password nor a passkey. The link of “Forgot your password?” sets a password.'
  return { code: 'NO_PASSWORD_AND_NO_PASSKEY', message }
}

function tooManyGuesses({ guessesEndAt }: SignInFacts): SignInReason | undefined {
  if (guessesEndAt === undefined) return undefined
  const message = `Too many wrong passwords were tried. A password works again on ${formatTime(guessesEndAt)}. A passkey works now, and so does the password in a browser that the user has signed in with before.`
  return { code: 'TOO_MANY_GUESSES', message, until: toIso(guessesEndAt) }
}

function unverified({ user }: SignInFacts): SignInReason | undefined {
  if (!user || user.emailVerified === 1) return undefined
  const message = "The email address is not verified. The user can sign in, but can't create or join organizations."
  return { code: 'EMAIL_NOT_VERIFIED', message }
}

function failedEmail({ lastEmail }: SignInFacts): SignInReason | undefined {
  if (lastEmail?.status !== 'failed' || lastEmail.failedAt === null) return undefined
  const message = `The last email to this address did not arrive. The reason: ${lastEmail.answer}`
  return { code: 'EMAIL_FAILED', message, since: toIso(lastEmail.failedAt) }
}

function openInvitation({ openInvitation: details, user }: SignInFacts): SignInReason | undefined {
  if (!details) return undefined
  const { invitation, organizationName } = details
  const step = user ? 'Accept it after signing in' : 'Open the link in the email to create the account'
  const message = `An invitation to ${organizationName} is open until ${formatTime(invitation.expiresAt)}. ${step}.`
  return {
    code: 'INVITATION_OPEN',
    message,
    since: toIso(invitation.createdAt),
    until: toIso(invitation.expiresAt),
  }
}
