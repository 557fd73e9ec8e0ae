import { Type } from 'typebox'
import { hasDomain } from './has-domain.ts'

/** Control, format and other invisible characters, such as the Hangul filler and the Braille blank. */
export const INVISIBLE_CHARACTERS = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800'
const INVISIBLE = new RegExp(`[${INVISIBLE_CHARACTERS}]`, 'gu')
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u
const LINK = /:\/\/|\bwww\.|\b(?:https?|mailto|tel|sms|javascript|data):/i
/** Longer graphemes would widen an email at 320 pixels. The longest of a language has 11 code points (र्त्स्न्यें). */
const GRAPHEME_LENGTH_MAXIMUM = 11
/** A longer grapheme has one ASCII character at most, its first. Most names need no data of Intl, which take memory. */
const MAY_HAVE_LONG_GRAPHEME = new RegExp(`\\P{ASCII}{${GRAPHEME_LENGTH_MAXIMUM}}`, 'u')
/** Two years are no telephone number, as in `Class of 1999-2003`. */
const TWO_YEARS = /^[^\p{N}+]*(?:19|20)\d\d ?[/–,&-] ?(?:19|20)\d\d\P{N}*$/u
const TELEPHONE_DIGITS_MINIMUM = 7

/** Emails show names: an attacker must not send a link or a telephone number in the name of the service. */
export function isName(text: string): boolean {
  if (text.search(INVISIBLE) >= 0 || !LETTER_OR_DIGIT.test(text) || hasLongGrapheme(text)) return false
  // Full-width letters and other full stops result in the same domain (UTS 46, section 4), and `evil.com²` in another.
  const plain = text.normalize('NFKC').replace(/[。｡]/g, '.')
  return !hasLink(text) && !hasLink(plain) && !hasTelephoneNumber(plain)
}

function hasLongGrapheme(text: string): boolean {
  if (!MAY_HAVE_LONG_GRAPHEME.test(text)) return false
  const graphemes = [...new Intl.Segmenter('en').segment(text)]
  return graphemes.some(({ segment }) => [...segment].length > GRAPHEME_LENGTH_MAXIMUM)
}

function hasLink(text: string): boolean {
  return LINK.test(text) || hasDomain(text)
}

/** Any characters but letters may separate the digits. Some digits stay as they are in NFKC, such as ❶ and ⓵. */
function hasTelephoneNumber(text: string): boolean {
  return text.split(/\p{L}/u).some((part) => countDigits(part) >= TELEPHONE_DIGITS_MINIMUM && !TWO_YEARS.test(part))
}

function countDigits(text: string): number {
  return text.match(/\p{N}/gu)?.length ?? 0
}

/** Stored names may be older than the rules. */
export function nameForEmail(name: string, otherwise: string): string {
  const visible = name.replace(INVISIBLE, '')
  return isName(visible) ? visible : otherwise
}

/** Some mail programs end an email address here, and make a link of a domain before it. */
const ENDS_DOMAIN = /[^a-z0-9._+-]/i
const BEGINS_PATH = /[/?#]/

/** @returns undefined for an email address that mail programs may show as a link: `www.evil.com/login@example.com` */
export function addressForEmail(address: string): string | undefined {
  const localPart = address.slice(0, address.lastIndexOf('@'))
  if (LINK.test(localPart) || BEGINS_PATH.test(localPart)) return undefined
  return ENDS_DOMAIN.test(localPart) && hasDomain(localPart) ? undefined : address
}

export const NAME_LENGTH_MAXIMUM = 100
export const NAME_DESCRIPTION =
  'one line with a letter or a digit, and without web addresses, telephone numbers, invisible characters and long piles of accents (write a space after a full stop)'

export const Name = Type.String({
  minLength: 1,
  maxLength: NAME_LENGTH_MAXIMUM,
  format: 'name',
  description: NAME_DESCRIPTION,
})
