/** Whether a date such as 2026-01-31 exists: `Date.parse` reads 30 February as 2 March. */
export function isCalendarDate(date: string): boolean {
  const milliseconds = Date.parse(date)
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString().slice(0, 10) === date
}
