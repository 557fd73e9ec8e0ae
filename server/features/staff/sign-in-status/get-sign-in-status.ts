import type { Static } from 'typebox'
import type { Caller } from '../../../core/access/caller.ts'
import type { Context } from '../../../core/context.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import { findUserByEmail, getUser } from '../../../core/users/find-user.ts'
import { assertMayManageUser } from '../../../core/users/lock-managed-user.ts'
import { toUser } from '../../../core/users/wire.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { toIso, toIsoOrNull } from '../../../platform/http/time.ts'
import { readSignInFacts, type SignInFacts } from './read-facts.ts'
import type { TwoStepFacts } from './read-two-step.ts'
import { canSignIn, reasonsOf } from './reasons.ts'
import type { SignInStatusQuery, SignInStatusResponse } from './schemas.ts'

/** @throws ApiError VALIDATION_ERROR; INVALID_EMAIL; USER_NOT_FOUND for an unknown id; STAFF_IS_FOR_ADMINS */
export async function getSignInStatus(
  context: Context,
  caller: Caller,
  rateLimits: RateLimits,
  query: Static<typeof SignInStatusQuery>,
): Promise<Static<typeof SignInStatusResponse>> {
  const { email, user } = await readNamedUser(context, query)
  if (user) assertMayManageUser(caller.user, user)
  return toResponse(await readSignInFacts(context, rateLimits, email, user), context.now())
}

async function readNamedUser(
  { database }: Context,
  { email, userId }: Static<typeof SignInStatusQuery>,
): Promise<{ email: string; user: UserRow | undefined }> {
  if ((email === undefined) === (userId === undefined))
    throw new ApiError('VALIDATION_ERROR', { field: 'email', message: 'Name a user by email or by userId.' })
  if (userId === undefined) {
    const address = parseEmailAddress(email ?? '')
    return { email: address, user: await findUserByEmail(database, address) }
  }
  const user = await getUser(database, userId)
  return { email: user.email, user }
}

function toResponse(facts: SignInFacts, now: number): Static<typeof SignInStatusResponse> {
  const { email, user, passwordChangedAt, passkeys, lastSignIn, lastFailure, twoStep, openInvitation } = facts
  return {
    email,
    user: user ? toUser(user, now) : null,
    canSignIn: canSignIn(facts, now),
    reasons: reasonsOf(facts, now),
    lastSignInAt: toIsoOrNull(lastSignIn?.createdAt ?? null),
    lastFailureAt: toIsoOrNull(lastFailure?.createdAt ?? null),
    password: passwordChangedAt === undefined ? null : { changedAt: toIso(passwordChangedAt) },
    passkeys: passkeys.map(({ id, name, createdAt, lastUsedAt, backedUp }) => ({
      id,
      name,
      createdAt: toIso(createdAt),
      lastUsedAt: toIsoOrNull(lastUsedAt),
      backedUp: backedUp === 1,
    })),
    twoFactor: twoStep ? toTwoFactor(twoStep) : null,
    openInvitation: openInvitation
      ? {
          id: openInvitation.invitation.id,
          organizationId: openInvitation.invitation.organizationId,
          organizationName: openInvitation.organizationName,
          role: openInvitation.invitation.role,
          createdAt: toIso(openInvitation.invitation.createdAt),
          expiresAt: toIso(openInvitation.invitation.expiresAt),
        }
      : null,
  }
}

function toTwoFactor({ method, lockEndsAt, recoveryCodeCount, requiredBy }: TwoStepFacts) {
  return {
    enabled: method !== undefined,
    method: method ?? null,
    lockedUntil: toIsoOrNull(lockEndsAt ?? null),
    recoveryCodesLeft: recoveryCodeCount,
    requiredBy,
  }
}
