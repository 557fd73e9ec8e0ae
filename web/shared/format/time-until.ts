const FORMAT = new Intl.RelativeTimeFormat('en', { numeric: 'always' })
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** "in 11 days", "in 3 hours", "2 minutes ago". */
export function timeUntil(at: Date): string {
  const left = at.getTime() - Date.now()
  if (Math.abs(left) < MINUTE) return left > 0 ? 'in less than a minute' : 'just now'
  if (Math.abs(left) >= 2 * DAY) return FORMAT.format(Math.trunc(left / DAY), 'day')
  if (Math.abs(left) >= 2 * HOUR) return FORMAT.format(Math.trunc(left / HOUR), 'hour')
  return FORMAT.format(Math.trunc(left / MINUTE), 'minute')
}
