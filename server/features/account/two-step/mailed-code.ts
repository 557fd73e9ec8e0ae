import type { Context } from '../../../core/context.ts'
import type { SecondStepRow } from '../../../platform/database/tables.ts'
import { isLive } from '../../../platform/time/is-live.ts'
import { MINUTE_MILLISECONDS } from '../../../platform/time/time-units.ts'

const LIFETIME_MILLISECONDS = 5 * MINUTE_MILLISECONDS
export const CODE_FAILURES_MAXIMUM = 5
const RANDOM_BYTES = 6
const DIGITS = 6

interface MailedCode {
  userId: string
  binding: string
  code: string
}

/** 48 random bits make every code equally likely, to one part in 280 million. */
export function createMailedCode({ randomBytes }: Pick<Context, 'randomBytes'>): string {
  const number = randomBytes(RANDOM_BYTES).readUIntBE(0, RANDOM_BYTES) % 10 ** DIGITS
  return String(number).padStart(DIGITS, '0')
}

export function storedCode({ keyring, now }: Pick<Context, 'keyring' | 'now'>, mailedCode: MailedCode) {
  const codeMac = keyring.mac('email code', textOf(mailedCode))
  return { codeMac, codeExpiresAt: now() + LIFETIME_MILLISECONDS, codeFailures: 0 }
}

export function isMailedCode(keyring: Context['keyring'], codeMac: string, mailedCode: MailedCode): boolean {
  return keyring.verifyMac('email code', textOf(mailedCode), codeMac)
}

export function isCodeLive({ codeExpiresAt }: SecondStepRow, now: number): boolean {
  return codeExpiresAt !== null && isLive(codeExpiresAt, LIFETIME_MILLISECONDS, now)
}

function textOf({ userId, binding, code }: MailedCode): string {
  return `${userId} ${binding} ${code}`
}
