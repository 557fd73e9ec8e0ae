import names from './authenticator-names.json' with { type: 'json' }

/** What people call the authenticator that a passkey is kept in; many do not say, and are all zeros. */
export function authenticatorName(aaguid: string): string {
  return Object.hasOwn(names, aaguid) ? names[aaguid as keyof typeof names] : 'Passkey'
}
