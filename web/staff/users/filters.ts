import { findValue } from '../../shared/format/find-value.ts'

/** Filters as staff type them, and as list-users takes them. */
const FILTERS = {
  'is:banned': 'banned:eq:true',
  'is:verified': 'emailVerified:eq:true',
  'is:unverified': 'emailVerified:eq:false',
  'has:two-step': 'twoFactorEnabled:eq:true',
  'no:two-step': 'twoFactorEnabled:eq:false',
  'role:user': 'role:eq:user',
  'role:support': 'role:eq:support',
  'role:admin': 'role:eq:admin',
}

const CREATED = /^created:([<>])(\d{4}-\d{2}-\d{2})$/
const FILTERS_MAXIMUM = 4

/** The condition of a filter, or undefined for other text. */
export function findCondition(filter: string): string | undefined {
  const [, sign, date] = CREATED.exec(filter) ?? []
  if (date !== undefined && !Number.isNaN(Date.parse(date))) return `createdAt:${sign === '>' ? 'gte' : 'lt'}:${date}`
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
  const weekAgo = new Date(now.getTime() - 7 * 86_400_000).toISOString().slice(0, 10)
  const all = [...Object.keys(FILTERS), `created:>${weekAgo}`, `created:<${weekAgo}`]
  return all.filter((filter) => filter.startsWith(word) && !filters.includes(filter))
}

/** The words of a text that are filters, and the rest. */
export function splitSearch(typed: string): { filters: string[]; text: string } {
  const words = typed.split(' ')
  const filters = words.filter((word) => findCondition(word) !== undefined)
  return { filters, text: words.filter((word) => findCondition(word) === undefined).join(' ') }
}
