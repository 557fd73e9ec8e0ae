import { Type } from 'typebox'
import { parseTime } from './time.ts'

const Time = Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601, or epoch milliseconds' }))

export const TimeRangeFields = { from: Time, until: Time }

/** Epoch milliseconds. A bound that the query does not have is missing here, too. */
type TimeRange = { from?: number; until?: number }

/** @throws ApiError VALIDATION_ERROR */
export function parseTimeRange({ from, until }: Record<keyof TimeRange, string | undefined>): TimeRange {
  return {
    ...(from !== undefined && { from: parseTime(from, 'from') }),
    ...(until !== undefined && { until: parseTime(until, 'until') }),
  }
}
