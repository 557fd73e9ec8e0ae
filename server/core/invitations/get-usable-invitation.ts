import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'
import { ApiError, type ErrorCode } from '../../platform/http/errors.ts'
import { hasOrganizationPermission, isOrganizationRole, mayGrantRole } from '../access/organization-permissions.ts'
import { lockOrganizationForShare } from '../memberships/lock-membership.ts'
import { isBanned } from '../users/banned.ts'
import { lockUsersForShare } from '../users/lock-user.ts'
import { type InvitationReference, parseReference } from './reference.ts'
import { findInvitationByReference, type InvitationDetails } from './store.ts'

/**
 * The invitation that a letter's link opens.
 * @param reference `{id}.{secret}`
 * @throws ApiError INVITATION_NOT_FOUND for a reference that is made up, tampered with or of another invitation
 *   (CVE-2026-1529, CVE-2022-23555); else the reason of `assertUsable`
 */
export function getUsableInvitation(
  database: Kysely<Tables>,
  now: number,
  reference: string,
): Promise<InvitationDetails> {
  return findUsable(database, now, parseReference(reference), 'INVITATION_NOT_FOUND')
}

/**
 * The invitation of a sign-up.
 * @param reference undefined when the request has none, or has text that is no reference
 * @throws ApiError INVITATION_REQUIRED for an unknown reference; else the reason of `assertUsable`
 */
export function getInvitationForSignUp(
  database: Kysely<Tables>,
  now: number,
  reference: InvitationReference | undefined,
): Promise<InvitationDetails> {
  return findUsable(database, now, reference, 'INVITATION_REQUIRED')
}

async function findUsable(
  database: Kysely<Tables>,
  now: number,
  reference: InvitationReference | undefined,
  unknown: ErrorCode,
): Promise<InvitationDetails> {
  const details = reference && (await findInvitationByReference(database, reference))
  if (!details) throw new ApiError(unknown)
  assertUsable(details, now)
  return details
}

/**
 * The same, within a transaction that goes on to rely on it: until it ends the invitation can't be withdrawn or go with
 * its organization, and its inviter can be neither banned nor lose the right to it.
 * @throws ApiError as `getUsableInvitation`
 */
export function lockUsableInvitation(
  transaction: Kysely<Tables>,
  now: number,
  reference: string,
): Promise<InvitationDetails> {
  return lockWhileFound(transaction, () => getUsableInvitation(transaction, now, reference))
}

/**
 * The same for a sign-up.
 * @throws ApiError as `getInvitationForSignUp`
 */
export function lockInvitationForSignUp(
  transaction: Kysely<Tables>,
  now: number,
  reference: InvitationReference | undefined,
): Promise<InvitationDetails> {
  return lockWhileFound(transaction, () => getInvitationForSignUp(transaction, now, reference))
}

async function lockWhileFound(
  transaction: Kysely<Tables>,
  find: () => Promise<InvitationDetails>,
): Promise<InvitationDetails> {
  const { invitation } = await find()
  await lockUsersForShare(transaction, [invitation.inviterId])
  await lockOrganizationForShare(transaction, invitation.organizationId)
  const found = await find()
  // The inviter left between these statements: the owner who has the invitation now is not locked, and can't be here.
  if (found.invitation.inviterId !== invitation.inviterId) throw new ApiError('SERVICE_UNAVAILABLE')
  return found
}

/**
 * Whether an invitation still grants what it says. Expiry is looked at here, at every use, whether or not anything
 * cleans up (CVE-2025-64708).
 * @throws ApiError INVITATION_CANCELED, INVITATION_ALREADY_USED, INVITATION_EXPIRED or INVITER_NO_LONGER_ALLOWED
 */
export function assertUsable({ invitation, inviterRole, inviterBan }: InvitationDetails, now: number): void {
  if (invitation.status === 'canceled') throw new ApiError('INVITATION_CANCELED')
  if (invitation.status !== 'pending') throw new ApiError('INVITATION_ALREADY_USED')
  if (invitation.expiresAt <= now) throw new ApiError('INVITATION_EXPIRED')
  const isInviterBanned = inviterBan === null || isBanned(inviterBan, now)
  if (isInviterBanned || !mayStillInvite(inviterRole, invitation.role)) throw new ApiError('INVITER_NO_LONGER_ALLOWED')
}

/** Whether a member with this role, or a user who is no member (null), may invite to the other role. */
export function mayStillInvite(inviterRole: string | null, role: string): boolean {
  return (
    inviterRole !== null &&
    hasOrganizationPermission(inviterRole, 'invitation.create') &&
    isOrganizationRole(role) &&
    mayGrantRole(inviterRole, role)
  )
}
