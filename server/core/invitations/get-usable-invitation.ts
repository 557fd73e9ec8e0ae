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
 * @throws ApiError INVITATION_NOT_FOUND, also for the parts of two references (CVE-2026-1529, CVE-2022-23555); the
 *   errors of `assertUsable`
 */
export function getUsableInvitation(
  database: Kysely<Tables>,
  now: number,
  reference: string,
): Promise<InvitationDetails> {
  return requireUsable(database, now, parseReference(reference), 'INVITATION_NOT_FOUND')
}

/** @throws ApiError INVITATION_REQUIRED without such an invitation; the errors of `assertUsable` */
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

/** No other transaction can cancel or delete the invitation, or ban or demote the inviter, until this one ends. */
export function lockUsableInvitation(
  transaction: Kysely<Tables>,
  now: number,
  reference: string,
): Promise<InvitationDetails> {
  return lockAndReread(transaction, () => getUsableInvitation(transaction, now, reference))
}

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
  // The new inviter is not locked, and users must be locked before organizations.
  if (locked.invitation.inviterId !== invitation.inviterId)
    throw new DatabaseUnavailable('The inviter of the invitation was changed concurrently')
  return locked
}

/**
 * Every use checks the expiry here, because the purge may be late (CVE-2025-64708).
 * @throws ApiError INVITATION_CANCELED, INVITATION_ALREADY_USED, INVITATION_EXPIRED or INVITER_NO_LONGER_ALLOWED
 */
export function assertUsable(details: InvitationDetails, now: number): void {
  const { invitation } = details
  if (invitation.status === 'canceled') throw new ApiError('INVITATION_CANCELED')
  if (invitation.status !== 'pending') throw new ApiError('INVITATION_ALREADY_USED')
  if (hasExpired(invitation, now)) throw new ApiError('INVITATION_EXPIRED')
  if (!isInviterAllowed(details, now)) throw new ApiError('INVITER_NO_LONGER_ALLOWED')
}
