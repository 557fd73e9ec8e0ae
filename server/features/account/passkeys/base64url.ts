/** Accepts only the canonical encoding (RFC 4648, section 3.5), so that two texts never decode to the same bytes. */
export function decodeBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}
