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
  /** The `createdAt` of the setup on the page, in ISO 8601. Undefined allows any setup. */
  expectedCreatedAt: string | undefined
  trustDevice: boolean
  /** The session in the cookie, which is revoked (CVE-2024-28197). */
  formerToken: string | undefined
  /** A new trust replaces this one. */
  formerTrustToken: string | undefined
  device: Device
}

export interface VerifiedSecondStep {
  user: UserRow
  session: NewSession
  trustToken: string | undefined
}

export interface PreparedEmails {
  enabled: PreparedEmail
  locked: PreparedEmail
  newDevice: PreparedEmail
}
