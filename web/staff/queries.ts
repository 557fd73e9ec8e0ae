import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { User } from '../../server/core/users/schemas.ts'
import type { StatisticsAnswer } from '../../server/features/staff/statistics/schemas.ts'
import { authentication } from '../shared/api/authentication.ts'
import { request } from '../shared/api/request.ts'

type UserListing = {
  searchValue: string
  sortBy: string
  sortDirection: 'asc' | 'desc'
  limit: number
  offset: number
}

export const usersQuery = (listing: UserListing) =>
  queryOptions({
    queryKey: ['users', listing],
    queryFn: () => authentication.admin.listUsers({ query: listing }),
  })

export const userQuery = (id: string) =>
  queryOptions({
    queryKey: ['user', id],
    queryFn: () => request<{ user: Static<typeof User> }>(`/api/auth/admin/get-user?${new URLSearchParams({ id })}`),
  })

export const userSessionsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['sessions of user', userId],
    queryFn: () => authentication.admin.listUserSessions({ userId }),
  })

export type Statistics = Static<typeof StatisticsAnswer>

/** The last 30 days, by day. */
export const statisticsQuery = queryOptions({
  queryKey: ['statistics'],
  queryFn: () => request<Statistics>('/api/auth/admin/statistics?interval=day'),
})
