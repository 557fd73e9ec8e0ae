/** Only the one spelling that an encoder gives (RFC 4648, section 3.5): two texts never mean the same bytes. */
export function decodeBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}
