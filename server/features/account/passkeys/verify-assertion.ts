import { hash } from 'node:crypto'
import { verifyAuthenticationResponse } from '@simplewebauthn/server'
import type { Static } from 'typebox'
import type { PasskeyRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { decodeBase64Url } from './base64url.ts'
import { assertAuthenticatorData } from './check-ceremony.ts'
import { isSignedBy } from './public-key.ts'
import type { RelyingParty } from './relying-party.ts'
import type { AuthenticationResponse } from './schemas.ts'
import { readUserHandle } from './user-handle.ts'

export interface Assertion {
  counter: number
  deviceType: PasskeyRow['deviceType']
  backedUp: number
}

/**
 * WebAuthn, section 7.2, without two checks of Level 3. Authenticators change "backup eligible" when a passkey moves to
 * another manager, so it may differ from the stored flag. The user handle may be missing, because the credential id
 * identifies the user. The caller compares the counter with the locked row, and stores the flag.
 * @throws ApiError as `assertAuthenticatorData`; AUTHENTICATION_FAILED
 */
export async function verifyAssertion(
  relyingParty: RelyingParty,
  challenge: string,
  authentication: Static<typeof AuthenticationResponse>,
  passkey: PasskeyRow,
): Promise<Assertion> {
  const { authenticatorData, userHandle } = authentication.response
  assertAuthenticatorData('sign in with passkey', decodeBase64Url(authenticatorData), relyingParty)
  const namedUserId = userHandle ? readUserHandle(userHandle) : passkey.userId
  // Better Auth gives random user handles and does not store them. The credential id alone identifies the user then.
  if (namedUserId !== passkey.userId && passkey.isImported === 0) throw new ApiError('AUTHENTICATION_FAILED')
  try {
    return await verify(relyingParty, challenge, authentication, passkey)
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
  // The library accepts loose DER. Here a signature has only one valid encoding.
  const signed = Buffer.concat([
    Buffer.from(authenticatorData, 'base64url'),
    hash('sha256', Buffer.from(clientDataJSON, 'base64url'), 'buffer'),
  ])
  const signatureBytes = decodeBase64Url(signature)
  if (!signatureBytes || !isSignedBy(coseKey, signed, signatureBytes)) throw new Error('The signature is invalid')
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
    // With 0 the library does not check the counter.
    credential: { id: credentialID, publicKey: coseKey, counter: 0 },
  })
  if (!verified) throw new Error('The library refuses the response')
  const { newCounter, credentialDeviceType, credentialBackedUp } = authenticationInfo
  return { counter: newCounter, deviceType: credentialDeviceType, backedUp: credentialBackedUp ? 1 : 0 }
}
