import type { Kysely } from 'kysely'
import { findMember } from '../../../core/memberships/store.ts'
import type { MemberRow, Tables } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'

/** The role of a user in an organization. @throws ApiError MEMBER_NOT_FOUND unless they are a member of it */
export async function getRole(
  database: Kysely<Tables>,
  organizationId: string,
  userId: string,
): Promise<MemberRow['role']> {
  const member = await findMember(database, organizationId, userId)
  if (!member) throw new ApiError('MEMBER_NOT_FOUND', { field: 'userId' })
  return member.role
}
