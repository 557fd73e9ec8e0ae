import type { Static } from 'typebox'
import { ApiError } from '../../../platform/http/errors.ts'
import { parseTime } from '../../../platform/http/time.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../../platform/time/time-units.ts'
import type { StatisticsQuery } from './schemas.ts'

const INTERVALS = { hour: HOUR_MILLISECONDS, day: DAY_MILLISECONDS }
const DEFAULT_DAYS = 30
const DAYS_MAXIMUM = 400
const BUCKETS_MAXIMUM = 800
/** The first moment without a date-time of RFC 3339, which has four digits for the year. */
const YEAR_10000 = Date.UTC(10_000, 0)

/** A period of whole buckets. Times are epoch milliseconds. */
export interface Period {
  from: number
  to: number
  interval: 'hour' | 'day'
  bucketMilliseconds: number
}

/** @throws ApiError VALIDATION_ERROR */
export function parsePeriod(query: Static<typeof StatisticsQuery>, now: number): Period {
  const { interval = 'day' } = query
  const bucketMilliseconds = INTERVALS[interval]
  const end = query.to === undefined ? now : parseTime(query.to, 'to')
  const begin = query.from === undefined ? end - DEFAULT_DAYS * DAY_MILLISECONDS : parseTime(query.from, 'from')
  if (end >= YEAR_10000)
    throw new ApiError('VALIDATION_ERROR', { field: 'to', message: 'to must be before the year 10000.' })
  if (begin < 0 || begin >= end) throw invalid('from must be before to.')
  if (end - begin > DAYS_MAXIMUM * DAY_MILLISECONDS) throw invalid(`At most ${DAYS_MAXIMUM} days, please.`)
  const from = Math.floor(begin / bucketMilliseconds) * bucketMilliseconds
  const to = Math.ceil(end / bucketMilliseconds) * bucketMilliseconds
  if ((to - from) / bucketMilliseconds > BUCKETS_MAXIMUM)
    throw invalid(`At most ${BUCKETS_MAXIMUM} buckets, please: name a shorter time, or the interval day.`)
  return { from, to, interval, bucketMilliseconds }
}

function invalid(message: string): ApiError {
  return new ApiError('VALIDATION_ERROR', { field: 'from', message })
}

export function listBuckets({ from, to, bucketMilliseconds }: Period): number[] {
  return Array.from({ length: (to - from) / bucketMilliseconds }, (_, index) => from + index * bucketMilliseconds)
}
