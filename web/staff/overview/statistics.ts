import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { StatisticsAnswer } from '../../../server/features/staff/statistics/schemas.ts'
import { ask } from '../common/ask.ts'

export type Statistics = Static<typeof StatisticsAnswer>

/** The last 30 days, by day. */
export const statisticsQuery = queryOptions({
  queryKey: ['staff', 'statistics'],
  queryFn: () => ask<Statistics>('statistics', { interval: 'day' }),
})
