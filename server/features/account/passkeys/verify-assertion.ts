import { hash } from 'node:crypto'
import { verifyAuthenticationResponse } from '@simplewebauthn/server'
import type { Static } from 'typebox'
import type { PasskeyRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { decodeBase64Url } from './base64url.ts'
import { checkAuthenticatorData } from './check-ceremony.ts'
import { isSignedBy } from './public-key.ts'
import type { RelyingParty } from './relying-party.ts'
import type { AuthenticationResponse } from './schemas.ts'
import { readUserHandle } from './user-handle.ts'

/** What the authenticator told with its signature. */
export interface Assertion {
  counter: number
  deviceType: string
  backedUp: number
}

/**
 * Verifying an authentication assertion (WebAuthn, section 7.2), after the client data was checked. The counter is the
 * caller's to compare, with the row as it is by then.
 * @throws ApiError PASSKEY_WRONG_RELYING_PARTY; USER_VERIFICATION_REQUIRED; AUTHENTICATION_FAILED
 */
export async function verifyAssertion(
  relyingParty: RelyingParty,
  challenge: string,
  answer: Static<typeof AuthenticationResponse>,
  passkey: PasskeyRow,
): Promise<Assertion> {
  const { authenticatorData, userHandle } = answer.response
  checkAuthenticatorData('sign in with passkey', decodeBase64Url(authenticatorData), relyingParty)
  if (userHandle && readUserHandle(userHandle) !== passkey.userId) throw new ApiError('AUTHENTICATION_FAILED')
  try {
    return await verify(relyingParty, challenge, answer, passkey)
  } catch (cause) {
    throw new ApiError('AUTHENTICATION_FAILED', { cause })
  }
}

async function verify(
  relyingParty: RelyingParty,
  challenge: string,
  { id, rawId, type, response }: Static<typeof AuthenticationResponse>,
  { credentialID, publicKey }: PasskeyRow,
): Promise<Assertion> {
  const { clientDataJSON, authenticatorData, signature } = response
  const coseKey = Uint8Array.from(Buffer.from(publicKey, 'base64'))
  // The library takes signatures in loose DER; here only one spelling of a signature is right.
  const signed = Buffer.concat([
    Buffer.from(authenticatorData, 'base64url'),
    hash('sha256', Buffer.from(clientDataJSON, 'base64url'), 'buffer'),
  ])
  const signatureBytes = decodeBase64Url(signature)
  if (!signatureBytes || !isSignedBy(coseKey, signed, signatureBytes)) throw new Error('The signature is not right')
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      id,
      rawId,
      type,
      response: { clientDataJSON, authenticatorData, signature },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    requireUserVerification: true,
    // With 0 the library leaves the counter alone.
    credential: { id: credentialID, publicKey: coseKey, counter: 0 },
  })
  if (!verified) throw new Error('The library disagrees')
  const { newCounter, credentialDeviceType, credentialBackedUp } = authenticationInfo
  return { counter: newCounter, deviceType: credentialDeviceType, backedUp: credentialBackedUp ? 1 : 0 }
}
