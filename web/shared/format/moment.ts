import { LOCALE } from './locale.ts'

const DAY = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'long' })
const DAY_IN_UTC = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'long', timeZone: 'UTC' })
const SHORT_DAY = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' })
const TIME = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'short' })
const DAY_AND_TIME = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' })

export function day(moment: Date): string {
  return DAY.format(moment)
}

/** For statistics, whose days begin at midnight in UTC. */
export function dayInUtc(moment: Date): string {
  return DAY_IN_UTC.format(moment)
}

/** For tables. */
export function shortDay(moment: Date): string {
  return SHORT_DAY.format(moment)
}

/** For the middle of a sentence, where the day of today would not fit, and for a file, which outlives the day. */
export function dayAndTime(at: Date): string {
  return DAY_AND_TIME.format(at)
}

/** A moment of today as its time, any other moment as its day and time. */
export function moment(at: Date): string {
  const isToday = at.toDateString() === new Date().toDateString()
  return isToday ? `today at ${TIME.format(at)}` : DAY_AND_TIME.format(at)
}
