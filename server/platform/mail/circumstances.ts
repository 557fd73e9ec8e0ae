import { describeDevice } from '../http/user-agent.ts'
import { formatTime } from '../time/format-time.ts'

export interface Circumstances {
  /** Epoch milliseconds. */
  at: number
  ipAddress: string | null
  userAgent: string | null
}

export function describeCircumstances({ at, ipAddress, userAgent }: Circumstances): string {
  const place = ipAddress === null ? '' : ` from the network address ${ipAddress}`
  const program = userAgent === null ? '' : `, with ${describeDevice(userAgent)}`
  return `This was on ${formatTime(at)}${place}${program}.`
}
