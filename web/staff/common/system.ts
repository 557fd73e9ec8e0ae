import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { SystemResponse } from '../../../server/features/staff/system/schemas.ts'
import { getStaffEndpoint } from './staff-endpoints.ts'

export type SystemState = Static<typeof SystemResponse>

/** For administrators. The checks take seconds when a mail server does not answer. */
export const systemQuery = queryOptions({
  queryKey: ['staff', 'get-system'],
  queryFn: () => getStaffEndpoint<SystemState>('get-system'),
  staleTime: 60_000,
})
