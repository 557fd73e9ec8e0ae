import {
  type AuthenticationResponseJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
} from '@simplewebauthn/browser'
import type { RefObject } from 'react'
import { askAuthenticator, ceremonyFailed } from './ask-authenticator.ts'
import { request } from './request.ts'

// The official client can ask neither for a new session nor for one that ends with the browser.
const OPTIONS = '/api/auth/passkey/generate-authenticate-options'
const VERIFY = '/api/auth/passkey/verify-authentication'

export const canUsePasskeys = 'PublicKeyCredential' in globalThis

/** Makes the session fresh. */
export async function verifyPasskey(): Promise<unknown> {
  const optionsJSON = await request<PublicKeyCredentialRequestOptionsJSON>(OPTIONS)
  return request(VERIFY, { response: await askAuthenticator(() => startAuthentication({ optionsJSON })) })
}

/** Starts a new session, also in a browser that is signed in. */
export async function signInWithPasskey(isKept: RefObject<boolean>): Promise<unknown> {
  return signInWithChosen(await choosePasskey(), isKept.current)
}

/**
 * The ceremony of a sign-in.
 * @param isSuggested for a ceremony that waits until the user chooses a suggestion at a field: whether the field still
 *   shows them
 */
export async function choosePasskey(isSuggested?: () => boolean): Promise<AuthenticationResponseJSON> {
  const optionsJSON = await request<PublicKeyCredentialRequestOptionsJSON>(`${OPTIONS}?newSession=true`)
  // A new ceremony ends the one before: late options of a suggestion must not close a dialog of the browser.
  if (isSuggested?.() === false) throw ceremonyFailed('AUTH_CANCELLED')
  const useBrowserAutofill = isSuggested !== undefined
  return askAuthenticator(() => startAuthentication({ optionsJSON, useBrowserAutofill }))
}

export function signInWithChosen(response: AuthenticationResponseJSON, rememberMe: boolean): Promise<unknown> {
  return request(VERIFY, { response, rememberMe })
}
