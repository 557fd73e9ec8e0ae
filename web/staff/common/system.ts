import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { SystemAnswer } from '../../../server/features/staff/system/schemas.ts'
import { ask } from './ask.ts'

export type SystemState = Static<typeof SystemAnswer>

/** For administrators. The checks take seconds when a mail server does not answer. */
export const systemQuery = queryOptions({
  queryKey: ['staff', 'get-system'],
  queryFn: () => ask<SystemState>('get-system'),
  staleTime: 60_000,
})
