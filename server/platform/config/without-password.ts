/** An address that is set here by mistake has a password before the @, or in its query. */
export function withoutPassword(value: string): string {
  // An @ behind a question mark belongs to either password.
  if (/:.*\?.*@/s.test(value)) return '…'
  return value.replace(/^(?:.*:\/\/.*|.*:\S*)@/s, '…@').replace(/\?.*/s, '?…')
}
