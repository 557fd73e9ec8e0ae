const FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** A time in a sentence that support read to a user. */
export function spoken(time: number): string {
  return `${FORMAT.format(time)} UTC`
}
