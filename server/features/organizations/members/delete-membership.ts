import type { Kysely } from 'kysely'
import { hasOtherOwner } from '../../../core/memberships/owner-store.ts'
import { deleteMember } from '../../../core/memberships/store.ts'
import { clearActiveOrganization } from '../../../core/sessions/active-organization.ts'
import type { MemberRow, Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/** The transaction has locked the organization. @throws ApiError YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER */
export async function deleteMembership(transaction: Kysely<Tables>, member: MemberRow, now: number): Promise<void> {
  if (member.role === 'owner' && !(await hasOtherOwner(transaction, member, now))) {
    throw new ApiError('YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
  }
  // Locks the sessions before the membership is deleted, because a trigger then deletes their sessions at clients.
  await clearActiveOrganization(transaction, member.userId, member.organizationId)
  await deleteMember(transaction, member.id)
}
