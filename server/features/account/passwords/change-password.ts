import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { getPersonalFacts } from '../../../core/credentials/get-personal-facts.ts'
import { parseNewPassword } from '../../../core/credentials/parse-password.ts'
import { replacePasswordHash } from '../../../core/credentials/password-store.ts'
import { readRemainingAccess } from '../../../core/credentials/read-remaining-access.ts'
import { verifyCallerPassword } from '../../../core/credentials/verify-caller-password.ts'
import type { Device } from '../../../core/devices/device.ts'
import { inTransaction, prepareEmailFrom } from '../../../core/in-transaction.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { carryOverActiveOrganization } from '../../../core/sessions/active-organization.ts'
import { revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import { type NewSession, startSession } from '../../../core/sessions/start-session.ts'
import { revokeTokens } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { isBanned } from '../../../core/users/banned.ts'
import { lockUserForUpdate } from '../../../core/users/lock-user.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail, sendEmailUnlessLimited } from '../../../platform/mail/outbox.ts'
import { passwordChangedEmail } from './emails.ts'

/**
 * The caller gets a new session, so that a stolen copy of the old token is revoked too (CVE-2026-43911). A concurrent
 * sign-in may renew the hash, so the password is verified again then.
 * @throws ApiError UNAUTHORIZED; as `verifyCallerPassword` and `parseNewPassword`
 */
export async function changePassword(
  context: Context,
  rateLimits: RateLimits,
  actor: Actor,
  caller: Caller,
  input: { currentPassword: string; newPassword: string; device: Device },
): Promise<NewSession> {
  const { config, database, now } = context
  const { user, session } = caller
  const facts = await getPersonalFacts(database, user)
  const password = await parseNewPassword(config, facts, input.newPassword, 'newPassword')
  const { currentPassword, device } = input
  const currentHash = await verifyCallerPassword(context, rateLimits, actor, caller, currentPassword, 'currentPassword')
  const newHash = await context.passwords.hash(password)
  const circumstances = { at: now(), ...actor }
  const access = await readRemainingAccess(database, user.id)
  const emailFor = prepareEmailFrom({ email: user.email, ...access }, ({ email, ...remaining }) =>
    prepareEmail(context, passwordChangedEmail(email, config.baseUrl, remaining, circumstances)),
  )

  const changed = await inTransaction(context, actor, async (unit) => {
    const { transaction, record } = unit
    const locked = await lockUserForUpdate(transaction, user.id)
    if (!locked || isBanned(locked, now())) throw new ApiError('UNAUTHORIZED')
    const isReplaced = await replacePasswordHash(transaction, user.id, currentHash, { newHash, changedAt: now() })
    if (!isReplaced) return undefined
    const activeOrganizationId = await carryOverActiveOrganization(transaction, session)
    await revokeSessionsOfUser(unit, user.id)
    await revokeTokens(transaction, user.id, ['reset password'])
    const rememberMe = session.rememberMe === 1
    const started = await startSession(unit, {
      userId: user.id,
      rememberMe,
      activeOrganizationId,
      device,
      authenticationMethods: session.authenticationMethods,
      // The password alone is no new sign-in of a session with two steps: `auth_time` and the longest lifetime stay.
      createdAt: session.createdAt,
    })
    const remaining = await readRemainingAccess(transaction, user.id)
    await sendEmailUnlessLimited(unit, emailFor({ email: locked.email, ...remaining }))
    await record({ action: 'password.changed', subjectId: user.id })
    return started
  })
  return changed ?? changePassword(context, rateLimits, actor, caller, input)
}
