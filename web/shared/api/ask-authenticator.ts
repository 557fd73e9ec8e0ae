import { WebAuthnError } from '@simplewebauthn/browser'
import { RequestFailed } from './request-failed.ts'

/** @throws RequestFailed when the browser or the user ends the ceremony */
export async function askAuthenticator<Credential>(ceremony: () => Promise<Credential>): Promise<Credential> {
  try {
    return await ceremony()
  } catch (error) {
    throw error instanceof WebAuthnError ? ceremonyFailed(error.code, error.message) : ceremonyFailed('AUTH_CANCELLED')
  }
}

export function ceremonyFailed(code: string, message = ''): RequestFailed {
  return new RequestFailed({ status: 0, code, message })
}
