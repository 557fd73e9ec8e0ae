let common: Set<string> | undefined

/** The lists have 49,233 leaked passwords and 7,776 dictionary words. They are loaded with the first look-up. */
export async function isCommon(password: string): Promise<boolean> {
  common ??= await load()
  return common.has(password.trim().toLowerCase())
}

async function load(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set([...dictionary['passwords-common'], ...dictionary['diceware-common']])
}
