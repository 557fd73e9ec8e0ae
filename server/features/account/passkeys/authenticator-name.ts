import names from './authenticator-names.json' with { type: 'json' }

/** @param aaguid the model of the authenticator; many browsers send only zeros */
export function findAuthenticatorName(aaguid: string): string | undefined {
  return Object.hasOwn(names, aaguid) ? names[aaguid as keyof typeof names] : undefined
}

/** The name of a new passkey. */
export function authenticatorName(aaguid: string): string {
  return findAuthenticatorName(aaguid) ?? 'Passkey'
}
