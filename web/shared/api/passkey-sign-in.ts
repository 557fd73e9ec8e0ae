import { type PublicKeyCredentialRequestOptionsJSON, startAuthentication, WebAuthnError } from '@simplewebauthn/browser'
import { request } from './request.ts'
import { RequestFailed } from './request-failed.ts'

// The official client can ask neither for a new session nor for one that ends with the browser.
const OPTIONS = '/api/auth/passkey/generate-authenticate-options'
const VERIFY = '/api/auth/passkey/verify-authentication'

type PasskeySignIn = {
  rememberMe: () => boolean
  /** For a sign-in that waits until the user chooses a suggestion at a field: whether the field still shows them. */
  isSuggested?: () => boolean
}

export const canUsePasskeys = 'PublicKeyCredential' in globalThis

/** Makes the session fresh. */
export async function verifyPasskey(): Promise<unknown> {
  const options = await request<PublicKeyCredentialRequestOptionsJSON>(OPTIONS)
  return request(VERIFY, { response: await askAuthenticator(options) })
}

/** Starts a new session, also in a browser that is signed in. */
export async function signInWithPasskey({ rememberMe, isSuggested }: PasskeySignIn): Promise<unknown> {
  const options = await request<PublicKeyCredentialRequestOptionsJSON>(`${OPTIONS}?newSession=true`)
  // A new ceremony ends the one before: late options of a suggestion must not close a dialog of the browser.
  if (isSuggested?.() === false) throw cancelled('AUTH_CANCELLED')
  const response = await askAuthenticator(options, isSuggested !== undefined)
  return request(VERIFY, { response, rememberMe: rememberMe() })
}

async function askAuthenticator(optionsJSON: PublicKeyCredentialRequestOptionsJSON, useBrowserAutofill = false) {
  try {
    return await startAuthentication({ optionsJSON, useBrowserAutofill })
  } catch (error) {
    throw cancelled(error instanceof WebAuthnError ? error.code : 'AUTH_CANCELLED')
  }
}

function cancelled(code: string): RequestFailed {
  return new RequestFailed({ status: 0, code, message: '' })
}
