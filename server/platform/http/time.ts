import { isCalendarDate } from '../time/calendar-date.ts'
import { ApiError } from './errors.ts'

/** Epoch milliseconds → ISO 8601 in UTC. */
export function toIso(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString()
}

export function toIsoOrNull(epochMilliseconds: number | null): string | null {
  return epochMilliseconds === null ? null : toIso(epochMilliseconds)
}

const ISO_8601 = /^\d{4}(?:-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?)?$/
const LATEST = 8_640_000_000_000_000

/**
 * Four digits are a year. A date or a year is its first moment in UTC.
 * @returns epoch milliseconds
 * @throws ApiError VALIDATION_ERROR
 */
export function parseTime(text: string, field: string): number {
  const milliseconds = ISO_8601.test(text) ? parseIso(text) : /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (Math.abs(milliseconds) <= LATEST) return milliseconds
  const message = `${field} must be a time such as 2026, 2026-01-31 or 2026-01-31T12:00:00Z, or epoch milliseconds.`
  throw new ApiError('VALIDATION_ERROR', { field, message })
}

/** @returns NaN for a date that does not exist */
function parseIso(text: string): number {
  const isYear = text.length === 4
  return isYear || isCalendarDate(text.slice(0, 10)) ? Date.parse(text) : Number.NaN
}
