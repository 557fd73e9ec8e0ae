import { ApiError } from '../http/errors.ts'

/** In code points, so that every script counts alike. */
const MAXIMUM_LENGTH = 128
/** A code point has two UTF-16 units at most, and NFC shortens text to a third of its units at most. */
const UNITS_BEFORE_NORMALIZING = MAXIMUM_LENGTH * 6

/**
 * A password as it is hashed: in NFC, so that the same keys pressed on another system give the same password
 * (NIST SP 800-63B), and never truncated.
 * @param field of the request, for the error
 * @throws ApiError PASSWORD_TOO_LONG, before any hashing (CVE-2013-1443)
 */
export function parsePassword(text: string, field = 'password'): string {
  const password = text.length > UNITS_BEFORE_NORMALIZING ? undefined : text.normalize('NFC')
  if (password === undefined || [...password].length > MAXIMUM_LENGTH)
    throw new ApiError('PASSWORD_TOO_LONG', { field })
  return password
}

/**
 * A new password as it is hashed.
 * @param minimumLength in code points
 * @param field of the request, for the error
 * @throws ApiError PASSWORD_TOO_LONG, PASSWORD_TOO_SHORT or PASSWORD_TOO_COMMON
 */
export async function parseNewPassword(text: string, minimumLength: number, field = 'password'): Promise<string> {
  const password = parsePassword(text, field)
  if ([...password].length < minimumLength) {
    throw new ApiError('PASSWORD_TOO_SHORT', {
      field,
      message: `The password needs at least ${minimumLength} characters.`,
    })
  }
  if ((await commonPasswords()).has(password.toLowerCase())) throw new ApiError('PASSWORD_TOO_COMMON', { field })
  return password
}

let common: Promise<Set<string>> | undefined

/** 49,233 passwords from leaks, loaded when the first new password is judged. */
function commonPasswords(): Promise<Set<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']))
  return common
}
