import type { Device } from '../../../core/devices/device.ts'
import type { NewSession } from '../../../core/sessions/start-session.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import type { PreparedEmail } from '../../../platform/mail/outbox.ts'
import type { Factor } from './factors.ts'
import type { CodeFor } from './subject.ts'

export interface Attempt {
  factor: Factor
  code: string
  codeFor: CodeFor
  trustDevice: boolean
  /** False: the code is used, and no session starts. */
  startsSession: boolean
  /** The session in the cookie: it is revoked (CVE-2024-28197). */
  formerToken: string | undefined
  /** The former trust of this device: it is replaced. */
  formerTrustToken: string | undefined
  device: Device
}

export interface Verified {
  user: UserRow
  /** Undefined when no session was wanted. */
  session: NewSession | undefined
  trustToken: string | undefined
}

export interface Notices {
  enabled: PreparedEmail
  locked: PreparedEmail
  newDevice: PreparedEmail
}
