import type { Caller } from '../../../core/access/caller.ts'
import type { RateLimits } from '../../../core/access/rate-limits.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { confirmPassword } from '../../../core/credentials/confirm-password.ts'
import { findPasskeys } from '../../../core/credentials/find-passkeys.ts'
import { findPasswordOwner } from '../../../core/credentials/find-password-owner.ts'
import { parseNewPassword } from '../../../core/credentials/parse-password.ts'
import { replacePasswordHash } from '../../../core/credentials/password-store.ts'
import type { Device } from '../../../core/devices/device.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { carryOverActiveOrganization } from '../../../core/sessions/active-organization.ts'
import { lockSessionsOf } from '../../../core/sessions/lock-sessions.ts'
import { revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import { type NewSession, startSession } from '../../../core/sessions/start-session.ts'
import { revokeTokens } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { isBanned } from '../../../core/users/banned.ts'
import { lockUserForUpdate } from '../../../core/users/lock-user.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail } from '../../../platform/mail/outbox.ts'
import { passwordChangedEmail } from './emails.ts'

/**
 * Changes the caller's password. Every session ends, this one too: the caller gets a new one in its place, so that a
 * stolen copy of the old credential is worth nothing (CVE-2026-43911). The holder is told by letter.
 * @throws ApiError UNAUTHORIZED where the user is gone or banned, or the session revoked, by now; as `confirmPassword` and `parseNewPassword`
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
  const owner = await findPasswordOwner(database, user)
  const password = await parseNewPassword(config, owner, input.newPassword, 'newPassword')
  const currentHash = await confirmPassword(
    context,
    rateLimits,
    actor,
    caller,
    input.currentPassword,
    'currentPassword',
  )
  const newHash = await context.passwords.hash(password)

  return inTransaction(context, actor, async (unit) => {
    const { transaction } = unit
    const locked = await lockUserForUpdate(transaction, user.id)
    if (!locked || isBanned(locked, now())) throw new ApiError('UNAUTHORIZED')
    const isReplaced = await replacePasswordHash(transaction, user.id, currentHash, { newHash, now: now() })
    if (!isReplaced) throw new ApiError('INVALID_PASSWORD', { field: 'currentPassword' })
    const activeOrganizationId = await carryOverActiveOrganization(transaction, session)
    // Hashing takes long: a session that is revoked in that time must not get a new one in its place.
    if (!(await lockSessionsOf(transaction, user.id)).includes(session.id)) throw new ApiError('UNAUTHORIZED')
    await revokeTokens(transaction, user.id, ['reset password'])
    await revokeSessionsOfUser(unit, user.id)
    const { device } = input
    const kept = { userId: user.id, rememberMe: session.rememberMe === 1, activeOrganizationId, device }
    const started = await startSession(unit, kept)
    const passkeys = await findPasskeys(transaction, user.id)
    const email = passwordChangedEmail(user.email, config.baseUrl, passkeys, { at: now(), ...actor })
    await unit.send(prepareEmail(context, email))
    await unit.record({ action: 'password.changed', subjectId: user.id })
    return started
  })
}
