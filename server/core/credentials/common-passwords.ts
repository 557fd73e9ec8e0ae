let common: Promise<Set<string>> | undefined

/**
 * Whether a password is in the lists of the package: 49,233 passwords from leaks and 7,776 dictionary words, in lower
 * case. The lists are loaded for the first new password.
 */
export async function isCommon(password: string): Promise<boolean> {
  common ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set([...dictionary['passwords-common'], ...dictionary['diceware-common']]),
  )
  return (await common).has(password.trim().toLowerCase())
}
