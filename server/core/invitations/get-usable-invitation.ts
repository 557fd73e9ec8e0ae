import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'
import { DatabaseUnavailable } from '../../platform/database/unavailable.ts'
import { ApiError, type ErrorCode } from '../../platform/http/errors.ts'
import { lockOrganizationForShare } from '../memberships/lock-membership.ts'
import { lockUsersForShare } from '../users/lock-user.ts'
import { isInviterAllowed } from './allowed-inviter.ts'
import { findInvitationByReference, type InvitationDetails } from './details-store.ts'
import { hasExpired } from './expiry.ts'
import { type InvitationReference, parseReference } from './reference.ts'

/**
 * The invitation of an emailed link.
 * @param reference `{id}.{secret}`
 * @throws ApiError INVITATION_NOT_FOUND when the reference is forged, or combines two invitations (CVE-2026-1529,
 *   CVE-2022-23555); the errors of `assertUsable`
 */
export function getUsableInvitation(
  database: Kysely<Tables>,
  now: number,
  reference: string,
): Promise<InvitationDetails> {
  return requireUsable(database, now, parseReference(reference), 'INVITATION_NOT_FOUND')
}

/**
 * @param reference undefined when the sign-up request has no valid reference
 * @throws ApiError INVITATION_REQUIRED when there is no such invitation; the errors of `assertUsable`
 */
export function getInvitationForSignUp(
  database: Kysely<Tables>,
  now: number,
  reference: InvitationReference | undefined,
): Promise<InvitationDetails> {
  return requireUsable(database, now, reference, 'INVITATION_REQUIRED')
}

async function requireUsable(
  database: Kysely<Tables>,
  now: number,
  reference: InvitationReference | undefined,
  notFound: ErrorCode,
): Promise<InvitationDetails> {
  const details = reference && (await findInvitationByReference(database, now, reference))
  if (!details) throw new ApiError(notFound)
  assertUsable(details, now)
  return details
}

/**
 * `getUsableInvitation` with locks. Until the transaction ends, no other transaction can cancel or delete the
 * invitation, ban the inviter or change the inviter's role.
 */
export function lockUsableInvitation(
  transaction: Kysely<Tables>,
  now: number,
  reference: string,
): Promise<InvitationDetails> {
  return lockAndReread(transaction, () => getUsableInvitation(transaction, now, reference))
}

/** `getInvitationForSignUp` with the locks of `lockUsableInvitation`. */
export function lockInvitationForSignUp(
  transaction: Kysely<Tables>,
  now: number,
  reference: InvitationReference | undefined,
): Promise<InvitationDetails> {
  return lockAndReread(transaction, () => getInvitationForSignUp(transaction, now, reference))
}

async function lockAndReread(
  transaction: Kysely<Tables>,
  read: () => Promise<InvitationDetails>,
): Promise<InvitationDetails> {
  const { invitation } = await read()
  await lockUsersForShare(transaction, [invitation.inviterId])
  await lockOrganizationForShare(transaction, invitation.organizationId)
  const locked = await read()
  // The inviter left between these statements. The new inviter is not locked, and users must be locked before
  // organizations.
  if (locked.invitation.inviterId !== invitation.inviterId)
    throw new DatabaseUnavailable('The inviter of the invitation was changed concurrently')
  return locked
}

/**
 * Every use of an invitation checks its expiry here, because the purge may be late (CVE-2025-64708).
 * @throws ApiError INVITATION_CANCELED, INVITATION_ALREADY_USED, INVITATION_EXPIRED or INVITER_NO_LONGER_ALLOWED
 */
export function assertUsable(details: InvitationDetails, now: number): void {
  const { invitation } = details
  if (invitation.status === 'canceled') throw new ApiError('INVITATION_CANCELED')
  if (invitation.status !== 'pending') throw new ApiError('INVITATION_ALREADY_USED')
  if (hasExpired(invitation, now)) throw new ApiError('INVITATION_EXPIRED')
  if (!isInviterAllowed(details, now)) throw new ApiError('INVITER_NO_LONGER_ALLOWED')
}
