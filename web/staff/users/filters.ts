import { findValue } from '../../shared/format/find-value.ts'

/** Filters as staff type them, and as list-users takes them. */
const FILTERS = {
  'is:banned': 'banned:eq:true',
  'is:verified': 'emailVerified:eq:true',
  'is:unverified': 'emailVerified:eq:false',
  'has:two-step': 'twoFactorEnabled:eq:true',
  'no:two-step': 'twoFactorEnabled:eq:false',
  'has:passkey': 'hasPasskey:eq:true',
  'no:passkey': 'hasPasskey:eq:false',
  'role:user': 'role:eq:user',
  'role:support': 'role:eq:support',
  'role:admin': 'role:eq:admin',
}

const CREATED = /^created:([<>])(\d{4}-\d{2}-\d{2})$/
const FILTERS_MAXIMUM = 4
const MINUTE_MILLISECONDS = 60_000
const DAY_MILLISECONDS = 24 * 60 * MINUTE_MILLISECONDS

/** The condition of a filter, or undefined for other text. A day begins at midnight of the browser, as in the table. */
export function findCondition(filter: string): string | undefined {
  const [, sign, date] = CREATED.exec(filter) ?? []
  const midnight = new Date(`${date}T00:00`)
  if (!Number.isNaN(midnight.getTime())) return `createdAt:${sign === '>' ? 'gte' : 'lt'}:${midnight.toISOString()}`
  return findValue(FILTERS, filter)
}

/** The filters in the address. Unknown filters are left out. */
export function readFilters(texts: string[]): string[] {
  return [...new Set(texts)].filter((text) => findCondition(text) !== undefined).slice(0, FILTERS_MAXIMUM)
}

/** The filters that complete the last word. Without a word, all filters that are not set. */
export function completions(typed: string, filters: string[], now: Date): string[] {
  if (filters.length >= FILTERS_MAXIMUM) return []
  const word = typed.split(' ').at(-1) ?? ''
  const weekAgo = dayOf(new Date(now.getTime() - 7 * DAY_MILLISECONDS))
  const all = [...Object.keys(FILTERS), `created:>${weekAgo}`, `created:<${weekAgo}`]
  return all.filter((filter) => filter.startsWith(word) && !filters.includes(filter))
}

/** The set filters with those that a text adds, and the rest of the text. A filter beyond the maximum stays in the text. */
export function splitSearch(typed: string, set: string[]): { filters: string[]; text: string } {
  const words = typed.split(' ')
  const filters = readFilters([...set, ...words])
  return { filters, text: words.filter((word) => !filters.includes(word)).join(' ') }
}

/** @returns the day of the browser, as "2026-11-19" */
function dayOf(moment: Date): string {
  const asUtc = moment.getTime() - moment.getTimezoneOffset() * MINUTE_MILLISECONDS
  return new Date(asUtc).toISOString().slice(0, 10)
}
