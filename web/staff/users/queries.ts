import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { User } from '../../../server/core/users/schemas.ts'
import { isId } from '../../shared/format/is-id.ts'
import type { useTableAddress } from '../../shared/routing/table-address.ts'
import { getStaffEndpoint } from '../common/staff-endpoints.ts'
import { findCondition } from './filters.ts'

type UserPage = { users: Static<typeof User>[]; total: number }

type UserListing = ReturnType<typeof useTableAddress>['listing'] & { search: string; filters: string[] }

export const usersQuery = (listing: UserListing) =>
  queryOptions({
    queryKey: ['staff', 'list-users', listing],
    queryFn: () => getStaffEndpoint<UserPage>('list-users', toParameters(listing)),
  })

function toParameters({ search, filters, ...listing }: UserListing) {
  const isOneUser = isId(search)
  return {
    ...(!isOneUser && { searchValue: search, searchField: 'any' }),
    filter: [...filters.map((filter) => findCondition(filter) ?? ''), isOneUser ? `id:eq:${search}` : ''],
    ...listing,
  }
}
