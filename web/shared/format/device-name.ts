import { describeDevice, UNKNOWN_DEVICE } from '../../../server/platform/http/user-agent.ts'

/** "Firefox on Windows", from a User-Agent header. */
export function deviceName(userAgent: string | null | undefined): string {
  const device = describeDevice(userAgent ?? '')
  return device === UNKNOWN_DEVICE ? 'Unknown device' : device
}
