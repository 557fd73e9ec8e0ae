import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { ListThrottlesAnswer } from '../../../server/features/staff/limits/schemas.ts'
import { getStaffEndpoint } from '../common/staff-endpoints.ts'

type Answer = Static<typeof ListThrottlesAnswer>

export type Throttle = Answer['throttles'][number]

export const throttlesQuery = queryOptions({
  queryKey: ['staff', 'list-throttles'],
  queryFn: () => getStaffEndpoint<Answer>('list-throttles'),
})
