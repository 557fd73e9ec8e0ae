let common: Promise<Set<string>> | undefined

/** The lists have 49,233 leaked passwords and 7,776 dictionary words. They are loaded with the first look-up. */
export async function isCommon(password: string): Promise<boolean> {
  common ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set([...dictionary['passwords-common'], ...dictionary['diceware-common']]),
  )
  return (await common).has(password.trim().toLowerCase())
}
