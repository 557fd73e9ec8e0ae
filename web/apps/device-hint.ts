import { describeDevice, UNKNOWN_DEVICE } from '../../server/platform/http/user-agent.ts'
import { moment } from '../shared/format/moment.ts'
import type { WaitingDevice } from './endpoints.ts'

/** "today at 14:03, from 203.0.113.7 (Chrome on Linux)". Many devices don't tell what they are. */
export function deviceHint({ requestedAt, requestedBy }: WaitingDevice): string {
  const name = describeDevice(requestedBy.userAgent ?? '')
  const known = name === UNKNOWN_DEVICE ? '' : ` (${name})`
  return `${moment(new Date(requestedAt))}, from ${requestedBy.ipAddress ?? 'an unknown address'}${known}`
}
