/**
 * The value of a setting, for a problem. An address of a mail server or a database that is set there by mistake has a
 * password before the @.
 */
export function withoutPassword(value: string): string {
  return value.replace(/^(?:.*:\/\/.*|.*:\S*)@/s, '…@')
}
