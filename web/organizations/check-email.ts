/** Only the form of an address: the service and the mail server decide. */
export function checkEmail(value: string): string | null {
  return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)*$/.test(value.trim())
    ? null
    : 'That isn’t a complete email address. It should look like name@example.com.'
}
