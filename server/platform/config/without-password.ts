/**
 * The value of a setting, for a problem. An address of a mail server or a database that is set there by mistake has a
 * password before the @, or in its query.
 */
export function withoutPassword(value: string): string {
  // An @ behind a question mark belongs to either password.
  if (/:.*\?.*@/s.test(value)) return '…'
  return value.replace(/^(?:.*:\/\/.*|.*:\S*)@/s, '…@').replace(/\?.*/s, '?…')
}
