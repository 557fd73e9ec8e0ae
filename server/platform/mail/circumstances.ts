import { describeDevice } from './device.ts'

/** When and from where something was done, as it was seen. */
export interface Circumstances {
  /** Epoch milliseconds. */
  at: number
  ipAddress: string | null
  userAgent: string | null
}

const FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** One sentence for a letter, so that its reader can tell whether it was them. */
export function describeCircumstances({ at, ipAddress, userAgent }: Circumstances): string {
  const place = ipAddress === null ? '' : ` from the network address ${ipAddress}`
  const program = userAgent === null ? '' : `, with ${describeDevice(userAgent)}`
  return `This was on ${FORMAT.format(at)} UTC${place}${program}.`
}
