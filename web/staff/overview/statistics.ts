import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { StatisticsResponse } from '../../../server/features/staff/statistics/schemas.ts'
import { number } from '../../shared/format/number.ts'
import { getStaffEndpoint } from '../common/staff-endpoints.ts'

export type Statistics = Static<typeof StatisticsResponse>
export type Part = Statistics['series'][number]

const DAY_MILLISECONDS = 86_400_000

/** The statistics of the last days. A single day is counted by the hour. */
export const statisticsQuery = (days: number) =>
  queryOptions({
    queryKey: ['staff', 'statistics', days],
    queryFn: () =>
      getStaffEndpoint<Statistics>('statistics', {
        from: new Date(Date.now() - days * DAY_MILLISECONDS).toISOString(),
        interval: days === 1 ? 'hour' : 'day',
      }),
  })

export function partsOf({ series }: Statistics, name: string): Part[] {
  return series.filter((part) => part.name === name)
}

export function totalOf(parts: Part[]): number {
  return parts.reduce((sum, { total }) => sum + total, 0)
}

/** The difference to the period of the same length before this one. */
export function comparison(parts: Part[]): string {
  const difference = totalOf(parts) - parts.reduce((sum, { previousTotal }) => sum + previousTotal, 0)
  if (difference === 0) return 'as many as before'
  return `${number(Math.abs(difference))} ${difference > 0 ? 'more' : 'fewer'} than before`
}

/** The counts of all parts by bucket. */
export function countsOf({ buckets }: Statistics, parts: Part[]): number[] {
  return buckets.map((_, at) => parts.reduce((sum, { counts }) => sum + (counts[at] ?? 0), 0))
}
