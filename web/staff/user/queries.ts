import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { User } from '../../../server/core/users/schemas.ts'
import { getStaffEndpoint } from '../common/staff-endpoints.ts'

export type StaffUser = Static<typeof User>

export const userQuery = (id: string) =>
  queryOptions({
    queryKey: ['staff', 'get-user', id],
    queryFn: () => getStaffEndpoint<{ user: StaffUser }>('get-user', { id }),
  })
