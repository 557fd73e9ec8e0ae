import { isCalendarDate } from '../../platform/time/calendar-date.ts'

export type SourceTime = string | number | null | undefined

/** A smaller number is a time in seconds. This number is in 1973 as milliseconds, and in the year 5138 as seconds. */
const SMALLEST_MILLISECONDS = 1e11
/** Responses have years of four digits. A later year means microseconds, which would make an expired API key work. */
const EARLIEST = Date.parse('0000-01-01T00:00:00.000Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')
/** ISO 8601 and the text form of PostgreSQL. Date.parse guesses other texts, in the time zone of this machine. */
const TEXT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z|([+-]\d\d)(?::?(\d\d))?)?)?$/

/**
 * Adapters write ISO 8601, seconds or milliseconds. PostgreSQL leaves out the zone of a `timestamp`, which is UTC.
 * @returns epoch milliseconds; undefined without a time, and for a time that can't be read
 */
export function readTime(value: SourceTime): number | undefined {
  if (value === null || value === undefined) return undefined
  const time = typeof value === 'number' ? toMilliseconds(value) : parseText(value)
  return time >= EARLIEST && time <= LATEST ? time : undefined
}

/** Tells an unreadable time from a missing one: a ban or an API key with an unreadable end must not last for ever. */
export function isUnreadableTime(value: SourceTime): boolean {
  return value !== null && value !== undefined && readTime(value) === undefined
}

function toMilliseconds(value: number): number {
  return Math.round(Math.abs(value) < SMALLEST_MILLISECONDS ? value * 1000 : value)
}

/** @returns NaN for another text, and for a date that does not exist */
function parseText(text: string): number {
  const [, date = '', time = '00:00', hours = '+00', minutes = '00'] = TEXT.exec(text) ?? []
  return isCalendarDate(date) ? Date.parse(`${date}T${time}${hours}:${minutes}`) : Number.NaN
}
