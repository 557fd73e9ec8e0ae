import { SERVICE_NAME } from '../../platform/config/service-name.ts'

/** Facts about a user that an attacker may know. */
export interface PasswordOwner {
  email: string
  name: string
  organizationNames: string[]
}

const WORD_LENGTH_MINIMUM = 4

/**
 * True if a password contains the email address, or is too short without the words of the address (before the @) and of
 * the names of the user, the organizations and the service. Words under four letters do not count, since other words
 * contain them.
 */
export function isMostlyPersonal(password: string, owner: PasswordOwner, minimumLength: number): boolean {
  const text = fold(password)
  if (text.includes(fold(owner.email))) return true
  const remaining = personalWords(owner).reduce((rest, word) => rest.replaceAll(word, ''), text)
  return remaining !== text && [...remaining].length < minimumLength
}

/** The longest first: `lovelace` must not leave `ada.` of `ada.lovelace`. */
function personalWords({ email, name, organizationNames }: PasswordOwner): string[] {
  const localPart = email.slice(0, email.lastIndexOf('@'))
  const names = [localPart, name, ...organizationNames, SERVICE_NAME].map(fold)
  const words = names.flatMap((text) => {
    const parts = text.split(/[^\p{L}\p{N}]+/u)
    return [text, parts.join(''), ...parts]
  })
  return [...new Set(words)]
    .filter((word) => [...word].length >= WORD_LENGTH_MINIMUM)
    .sort((one, other) => other.length - one.length)
}

/** Removes accents and upper case: attackers try both. */
function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').normalize('NFC').toLowerCase()
}
