/** Addresses in a text field, one a line. */
export function toLines(text: string): string[] {
  return text.split(/\s+/).filter((line) => line !== '')
}

/** The service allows http on this machine to native apps only (RFC 8252), and developers test websites there. */
export function applicationTypeFor(redirectUris: string[]): { application_type?: 'native' } {
  return redirectUris.some((uri) => uri.startsWith('http://')) ? { application_type: 'native' } : {}
}

/** The service checks the rest. */
export function checkAddresses(text: string): string | null {
  const wrong = toLines(text).find((line) => !URL.canParse(line))
  return wrong === undefined ? null : `${wrong} is not a whole address. Begin it with https://.`
}

export function checkRequiredAddresses(text: string): string | null {
  return toLines(text).length === 0 ? 'Enter at least one address.' : checkAddresses(text)
}
