/** Facts about a user that an attacker may know. */
export interface PersonalFacts {
  email: string
  name: string
  organizationNames: string[]
}

export interface PasswordRules {
  passwordMinLength: number
  brand: { name: string }
}

const WORD_LENGTH_MINIMUM = 4

/** Words under four letters do not count, because other words contain them. */
export function isMostlyPersonal(
  password: string,
  facts: PersonalFacts,
  { brand, passwordMinLength }: PasswordRules,
): boolean {
  const text = fold(password)
  if (text.includes(fold(facts.email))) return true
  const remaining = personalWords(facts, brand.name).reduce((rest, word) => rest.replaceAll(word, ''), text)
  return remaining !== text && [...remaining].length < passwordMinLength
}

/** The longest first: `lovelace` must not leave `ada.` of `ada.lovelace`. */
function personalWords({ email, name, organizationNames }: PersonalFacts, brandName: string): string[] {
  const localPart = email.slice(0, email.lastIndexOf('@'))
  const names = [localPart, name, ...organizationNames, brandName].map(fold)
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
