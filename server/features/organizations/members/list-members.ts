import type { Static } from 'typebox'
import type { Context } from '../../../core/context.ts'
import type { MemberWithUser } from '../../../core/memberships/store.ts'
import { parseFilter } from '../../../platform/filter/parse-condition.ts'
import { parsePage } from '../../../platform/http/paging.ts'
import { type ListMembersQuery, MEMBER_FILTER_RULES, MEMBERS_PER_PAGE_MAXIMUM } from './member-query.ts'
import { readMemberPage } from './store.ts'

/** Reads off the main thread: 50,000 members take SQLite 0.2 to 1 s. @throws ApiError VALIDATION_ERROR */
export function listMembers(
  { slowReads }: Pick<Context, 'slowReads'>,
  organizationId: string,
  query: Static<typeof ListMembersQuery>,
): Promise<{ members: MemberWithUser[]; total: number }> {
  const page = parsePage(query, MEMBERS_PER_PAGE_MAXIMUM)
  const { sortBy = 'createdAt', sortDirection = 'asc', searchValue = '' } = query
  const order = { sortBy, direction: sortDirection }
  const matching = { search: searchValue, filter: parseFilter(query, undefined, MEMBER_FILTER_RULES) }
  return readMemberPage(slowReads, organizationId, page, order, matching)
}
