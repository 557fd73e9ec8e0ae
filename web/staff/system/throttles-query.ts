import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { ListThrottlesResponse } from '../../../server/features/staff/limits/schemas.ts'
import { getStaffEndpoint } from '../common/staff-endpoints.ts'

type ResponseBody = Static<typeof ListThrottlesResponse>

export type Throttle = ResponseBody['throttles'][number]

export const throttlesQuery = queryOptions({
  queryKey: ['staff', 'list-throttles'],
  queryFn: () => getStaffEndpoint<ResponseBody>('list-throttles'),
})
