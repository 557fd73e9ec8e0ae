import { counted } from './number.ts'

const SECONDS_PER_MINUTE = 60
const MINUTES_PER_HOUR = 60

/** Rounds up, so that a user who waits as long as shown has waited long enough. */
export function duration(seconds: number): string {
  if (seconds < SECONDS_PER_MINUTE) return counted(Math.ceil(seconds), 'second')
  const minutes = Math.ceil(seconds / SECONDS_PER_MINUTE)
  if (minutes < MINUTES_PER_HOUR) return counted(minutes, 'minute')
  return counted(Math.ceil(minutes / MINUTES_PER_HOUR), 'hour')
}
