import { ApiError } from '../../platform/http/errors.ts'
import { PASSWORD_LENGTH_MAXIMUM } from '../field-limits.ts'
import { isCommon } from './common-passwords.ts'
import { isPattern } from './password-pattern.ts'
import { isMostlyPersonal, type PasswordRules, type PersonalFacts } from './personal-words.ts'

export const NEW_PASSWORD_ERRORS = [
  'PASSWORD_TOO_SHORT',
  'PASSWORD_TOO_LONG',
  'PASSWORD_TOO_COMMON',
  'PASSWORD_TOO_PERSONAL',
] as const

/** A code point has two UTF-16 units at most, and NFC shortens text to a third of its units at most. */
const UNITS_BEFORE_NORMALIZING = PASSWORD_LENGTH_MAXIMUM * 6

/**
 * With NFC, the same keys on another system give the same password (NIST SP 800-63B). A password is never truncated.
 * @throws ApiError PASSWORD_TOO_LONG, before any hashing (CVE-2013-1443)
 */
export function parsePassword(text: string, field = 'password'): string {
  const password = text.length > UNITS_BEFORE_NORMALIZING ? undefined : text.normalize('NFC')
  if (password === undefined || [...password].length > PASSWORD_LENGTH_MAXIMUM)
    throw new ApiError('PASSWORD_TOO_LONG', { field })
  return password
}

/** @throws ApiError PASSWORD_TOO_LONG, PASSWORD_TOO_SHORT, PASSWORD_TOO_COMMON or PASSWORD_TOO_PERSONAL */
export async function parseNewPassword(
  rules: PasswordRules,
  facts: PersonalFacts,
  text: string,
  field = 'password',
): Promise<string> {
  const password = parsePassword(text, field)
  const { passwordMinLength: minimumLength } = rules
  if ([...password].length < minimumLength) {
    throw new ApiError('PASSWORD_TOO_SHORT', {
      field,
      message: `The password needs at least ${minimumLength} characters.`,
    })
  }
  if (isPattern(password) || (await isCommon(password))) throw new ApiError('PASSWORD_TOO_COMMON', { field })
  if (isMostlyPersonal(password, facts, rules)) throw new ApiError('PASSWORD_TOO_PERSONAL', { field })
  return password
}
