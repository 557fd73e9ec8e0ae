import { createHmac } from 'node:crypto'
import { isEqualInConstantTime } from '../../../platform/crypto/constant-time.ts'
import { toBase32 } from '../../../platform/crypto/tokens.ts'

/** Every authenticator app supports these values, and some support no others. */
const STEP_MILLISECONDS = 30_000
const DIGITS = 6
const ALGORITHM = 'sha1'

/** RFC 4648, section 6. */
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** 160 bits, the length of the HMAC (RFC 4226, section 4). */
export const SECRET_BYTES = 20

/** The code of a counter (HOTP, RFC 4226, section 5.3). */
export function codeOfCounter(secret: Buffer, counter: number): string {
  const text = Buffer.alloc(8)
  text.writeBigUInt64BE(BigInt(counter))
  const mac = createHmac(ALGORITHM, secret).update(text).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

export function timeStepAt(now: number): number {
  return Math.floor(now / STEP_MILLISECONDS)
}

/** RFC 6238. The steps before and after are accepted too, because clocks differ and typing takes time. */
export function findTimeStep(secret: Buffer, code: string, now: number): number | undefined {
  const current = timeStepAt(now)
  // Every step is compared, so that the time does not show which one is right.
  const matching = [current, current - 1, current + 1].filter((step) =>
    isEqualInConstantTime(codeOfCounter(secret, step), code),
  )
  return matching[0]
}

/** The issuer has no colon, which separates it from the account. */
export function totpUri(secret: Buffer, issuer: string, accountName: string): string {
  const parameters = new URLSearchParams({
    secret: toBase32(secret, BASE32),
    issuer,
    algorithm: ALGORITHM.toUpperCase(),
    digits: String(DIGITS),
    period: String(STEP_MILLISECONDS / 1000),
  })
  // Some apps show "+" instead of a space.
  const query = parameters.toString().replaceAll('+', '%20')
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(accountName)}?${query}`
}
