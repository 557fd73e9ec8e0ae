/** Listed here, because the data of Intl take 8 MiB of memory. */
const MONTHS = 'January February March April May June July August September October November December'.split(' ')

/** @param time epoch milliseconds @returns "5 November 2026", in UTC */
export function formatDate(time: number): string {
  const date = new Date(time)
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** @param time epoch milliseconds @returns "5 November 2026 at 09:30 UTC" */
export function formatTime(time: number): string {
  return `${formatDate(time)} at ${new Date(time).toISOString().slice(11, 16)} UTC`
}
