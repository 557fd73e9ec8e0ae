import names from './authenticator-names.json' with { type: 'json' }

/** @param aaguid the model of the authenticator; many browsers send only zeros */
export function authenticatorName(aaguid: string): string {
  return Object.hasOwn(names, aaguid) ? names[aaguid as keyof typeof names] : 'Passkey'
}
