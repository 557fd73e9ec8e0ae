import type { Static } from 'typebox'
import type { Context } from '../../../core/context.ts'
import type { MemberWithUser } from '../../../core/memberships/store.ts'
import { parsePage } from '../../../platform/http/paging.ts'
import { type ListMembersQuery, parseMemberFilter } from './member-query.ts'
import { readMemberPage } from './store.ts'

const MEMBERS_PER_PAGE_MAXIMUM = 100

/** One page of an organization's members, and the total. @throws ApiError VALIDATION_ERROR */
export function listMembers(
  { config, database }: Context,
  organizationId: string,
  query: Static<typeof ListMembersQuery>,
): Promise<{ members: MemberWithUser[]; total: number }> {
  const page = parsePage(query, MEMBERS_PER_PAGE_MAXIMUM)
  const { sortBy = 'createdAt', sortDirection = 'asc', searchValue = '' } = query
  const order = { sortBy, direction: sortDirection }
  const matching = { search: searchValue, filter: parseMemberFilter(query) }
  return readMemberPage(database, config.database.engine, organizationId, page, order, matching)
}
