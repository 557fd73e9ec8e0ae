import { type PublicKeyCredentialCreationOptionsJSON, startRegistration } from '@simplewebauthn/browser'
import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Passkey as PasskeyOnWire } from '../../../server/features/account/passkeys/schemas.ts'
import { askAuthenticator } from './ask-authenticator.ts'
import { request } from './request.ts'

const OPTIONS = '/api/auth/passkey/generate-register-options'

export type Passkey = Static<typeof PasskeyOnWire>

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: () => request<Passkey[]>('/api/auth/passkey/list-user-passkeys'),
})

/** The service chooses the name of the passkey. */
export function addPasskey(): Promise<unknown> {
  return registerPasskey()
}

/**
 * Signs up with an invitation and a passkey, without a password.
 * @param expectedEmail the invited address: another tab may have opened another invitation
 */
export function signUpWithPasskey(name: string, expectedEmail: string): Promise<unknown> {
  return registerPasskey(`?${new URLSearchParams({ name, context: 'sign-up', expectedEmail })}`)
}

export function renamePasskey(id: string, name: string): Promise<unknown> {
  return request('/api/auth/passkey/update-passkey', { id, name })
}

export function removePasskey(id: string): Promise<unknown> {
  return request('/api/auth/passkey/delete-passkey', { id })
}

/** The official client would report a lost response as an error of the service. */
async function registerPasskey(query = ''): Promise<unknown> {
  const optionsJSON = await request<PublicKeyCredentialCreationOptionsJSON>(`${OPTIONS}${query}`)
  const response = await askAuthenticator(() => startRegistration({ optionsJSON }))
  return request('/api/auth/passkey/verify-registration', { response })
}
