/** The addresses in a text field. Users write each on its own line, but spaces separate addresses as well. */
export function toLines(text: string): string[] {
  return text.split(/\s+/).filter((line) => line !== '')
}

/**
 * The service allows http to native apps only (RFC 8252). A website that a developer tests on localhost counts as
 * native, until the last address with http is removed.
 * @param formerAddresses of a website, before the change
 */
export function applicationTypeFor(
  addresses: string[],
  formerAddresses: string[] = [],
): { application_type?: 'native' | 'web' } {
  const isHttp = (address: string) => address.startsWith('http://')
  if (addresses.some(isHttp)) return { application_type: 'native' }
  const isWebsite = addresses.every((address) => address.startsWith('https://'))
  return isWebsite && formerAddresses.some(isHttp) ? { application_type: 'web' } : {}
}

/** Checks only the form of an address. The service checks which addresses are allowed. */
export function checkAddresses(text: string): string | null {
  const wrong = toLines(text).find((line) => !URL.canParse(line))
  return wrong === undefined ? null : `${wrong} is not a whole address. Begin it with https://.`
}

export function checkRequiredAddresses(text: string): string | null {
  return toLines(text).length === 0 ? 'Enter at least one address.' : checkAddresses(text)
}
