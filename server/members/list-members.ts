import type { Kysely } from 'kysely'
import type { Static } from 'typebox'
import type { Tables } from '../database/tables.ts'
import { parsePage } from '../http/paging.ts'
import { type ListMembersQuery, parseMemberFilter, parseMemberOrder } from './member-query.ts'
import { findMembersOf, type MemberWithUser } from './store.ts'

const MEMBERS_PER_PAGE_MAXIMUM = 100

/**
 * One page of an organization's members, and how many fit the filter in all.
 * @throws ApiError VALIDATION_ERROR
 */
export function listMembers(
  database: Kysely<Tables>,
  organizationId: string,
  query: Static<typeof ListMembersQuery>,
): Promise<{ members: MemberWithUser[]; total: number }> {
  const page = parsePage(query, MEMBERS_PER_PAGE_MAXIMUM)
  return findMembersOf(database, organizationId, page, parseMemberOrder(query), parseMemberFilter(query))
}
