import type { Device } from '../../../core/devices/device.ts'
import type { NewSession } from '../../../core/sessions/start-session.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import type { PreparedEmail } from '../../../platform/mail/outbox.ts'
import type { Factor } from './factors.ts'
import type { CodeTarget } from './subject.ts'

export interface Attempt {
  factor: Factor
  code: string
  target: CodeTarget
  /** The time of the setup that the caller has read, in ISO 8601. Undefined: the code is for any setup. */
  expectedCreatedAt: string | undefined
  trustDevice: boolean
  /** The session in the cookie, which is revoked (CVE-2024-28197). */
  formerToken: string | undefined
  /** The token with which this device was trusted before. A new trust replaces it. */
  formerTrustToken: string | undefined
  device: Device
}

export interface VerifiedSecondStep {
  user: UserRow
  session: NewSession
  /** Undefined when the request asked for no trust. */
  trustToken: string | undefined
}

export interface PreparedEmails {
  enabled: PreparedEmail
  locked: PreparedEmail
  newDevice: PreparedEmail
}
