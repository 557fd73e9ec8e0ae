import { describeDevice, UNKNOWN_DEVICE } from '../../../platform/http/user-agent.ts'
import names from './authenticator-names.json' with { type: 'json' }

/** @param aaguid the model of the authenticator; many browsers send only zeros */
export function findAuthenticatorName(aaguid: string): string | undefined {
  return Object.hasOwn(names, aaguid) ? names[aaguid as keyof typeof names] : undefined
}

export function authenticatorName(aaguid: string, userAgent: string | null): string {
  return findAuthenticatorName(aaguid) ?? nameByDevice(describeDevice(userAgent ?? ''))
}

function nameByDevice(device: string): string {
  return device === UNKNOWN_DEVICE ? 'Passkey' : `Passkey made in ${device}`
}
