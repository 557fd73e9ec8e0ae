import { type PublicKeyCredentialRequestOptionsJSON, startAuthentication, WebAuthnError } from '@simplewebauthn/browser'
import { request } from './request.ts'
import { RequestFailed } from './request-failed.ts'

// The official client can ask neither for a new session nor for one that ends with the browser.
const OPTIONS = '/api/auth/passkey/generate-authenticate-options'
const VERIFY = '/api/auth/passkey/verify-authentication'

type PasskeySignIn = {
  rememberMe: () => boolean
  /** Whether the sign-in waits until the user chooses a suggestion at a field. */
  autoFill?: boolean
}

export const canUsePasskeys = 'PublicKeyCredential' in globalThis

/** Makes the session fresh. */
export async function verifyPasskey(): Promise<unknown> {
  const options = await request<PublicKeyCredentialRequestOptionsJSON>(OPTIONS)
  return request(VERIFY, { response: await askAuthenticator(options) })
}

/** Starts a new session, also in a browser that is signed in. */
export async function signInWithPasskey({ rememberMe, autoFill = false }: PasskeySignIn): Promise<unknown> {
  const options = await request<PublicKeyCredentialRequestOptionsJSON>(`${OPTIONS}?newSession=true`)
  const response = await askAuthenticator(options, autoFill)
  return request(VERIFY, { response, rememberMe: rememberMe() })
}

async function askAuthenticator(optionsJSON: PublicKeyCredentialRequestOptionsJSON, useBrowserAutofill = false) {
  try {
    return await startAuthentication({ optionsJSON, useBrowserAutofill })
  } catch (error) {
    const code = error instanceof WebAuthnError ? error.code : 'AUTH_CANCELLED'
    throw new RequestFailed({ status: 0, code, message: '' })
  }
}
