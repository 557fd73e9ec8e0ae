import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { User } from '../../../server/core/users/schemas.ts'
import type { Sort } from '../../shared/routing/table-address.ts'
import { ask } from '../common/ask.ts'
import { findCondition } from './filters.ts'

type UserPage = { users: Static<typeof User>[]; total: number }

type UserListing = { search: string; filters: string[]; sort: Sort; limit: number; offset: number }

const USER_ID = /^usr_\S+$/

export const usersQuery = (listing: UserListing) =>
  queryOptions({
    queryKey: ['staff', 'list-users', listing],
    queryFn: () => ask<UserPage>('list-users', toParameters(listing)),
  })

function toParameters({ search, filters, sort, limit, offset }: UserListing) {
  const isId = USER_ID.test(search)
  return {
    ...(!isId && { searchValue: search, searchField: 'any' }),
    filter: [...filters.map((filter) => findCondition(filter) ?? ''), isId ? `id:eq:${search}` : ''],
    sortBy: sort.by,
    sortDirection: sort.direction,
    limit,
    offset,
  }
}
