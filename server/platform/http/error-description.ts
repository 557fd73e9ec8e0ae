/** The text as `error_description` may have it: ASCII without `"`, `\` and control characters (RFC 6749, section 5.2). */
export function toErrorDescription(text: string): string {
  return text.replaceAll('"', "'").replace(/[^\x20-\x5b\x5d-\x7e]/g, '?')
}
