import { isPattern } from '../../../server/core/credentials/password-pattern.ts'
import { isMostlyPersonal, type PersonalFacts } from '../../../server/core/credentials/personal-words.ts'
import { brandName } from '../brand.ts'

/** The service may require more. */
const PASSWORD_LENGTH_MINIMUM = 8
/** A word of a list with some thousand words. */
const BITS_OF_WORD = 12
const FAIR_BITS = 34
const GOOD_BITS = 44
const STRONG_BITS = 60

/**
 * How hard a password is to guess, in words. The service refuses a password with one of the first two sentences, and a
 * common password, whose list is not in the pages.
 */
export function describeStrength(password: string, owner: PersonalFacts): string {
  if (isPattern(password)) return 'Easy to guess: it repeats, counts or follows the keyboard.'
  const rules = { passwordMinLength: PASSWORD_LENGTH_MINIMUM, brand: { name: brandName } }
  if (owner.email !== '' && isMostlyPersonal(password, owner, rules))
    return 'Easy to guess: it is mostly your name, your address, your organization or the name of this service.'
  const bits = estimateBits(password)
  if (bits < FAIR_BITS) return 'Easy to guess. Add two or three unrelated words.'
  if (bits < GOOD_BITS) return 'Not easy to guess. Another word makes it better.'
  return bits < STRONG_BITS ? 'Hard to guess.' : 'Very hard to guess.'
}

/** Assumes the worst: letters side by side are words, digits are years, and a repeated part adds nothing. */
function estimateBits(password: string): number {
  const parts = password.match(/\p{Lu}*\p{Ll}+|\p{Lu}+|\p{N}+|[^\p{Lu}\p{Ll}\p{N}]+/gu) ?? []
  const different = new Set(parts.map((part) => part.toLowerCase()))
  return [...different].reduce((bits, part) => bits + bitsOf(part), 0)
}

function bitsOf(part: string): number {
  const characters = [...part]
  const length = Math.min(characters.length, 2 * new Set(characters).size)
  if (/\p{N}/u.test(part)) return Math.min(length * 3.3, 10)
  if (/\p{L}/u.test(part)) return Math.min(length * 4.7, Math.max(BITS_OF_WORD, length * 2))
  return Math.min(length * 4, 8)
}
