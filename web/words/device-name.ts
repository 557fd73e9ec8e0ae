import { describeDevice } from '../../server/mail/letters/device.ts'

/** "Firefox on Windows", from a User-Agent header. */
export function deviceName(userAgent: string | null | undefined): string {
  const device = describeDevice(userAgent ?? '')
  return device === 'an unknown device' ? 'Unknown device' : device
}
