import type { Kysely } from 'kysely'
import type { MemberRow, Tables } from '../database/tables.ts'
import { ApiError } from '../http/errors.ts'
import { findMember } from './store.ts'

/** The role of a user in an organization. @throws ApiError MEMBER_NOT_FOUND unless they are a member of it */
export async function findRole(
  database: Kysely<Tables>,
  organizationId: string,
  userId: string,
): Promise<MemberRow['role']> {
  const member = await findMember(database, organizationId, userId)
  if (!member) throw new ApiError('MEMBER_NOT_FOUND', { field: 'userId' })
  return member.role
}
