import { verifyRegistrationResponse } from '@simplewebauthn/server'
import { decodeAttestationObject, isoCBOR } from '@simplewebauthn/server/helpers'
import type { Static } from 'typebox'
import type { PasskeyRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { decodeBase64Url } from './base64url.ts'
import type { Ceremony } from './challenge.ts'
import { assertAuthenticatorData, FAILURE_CODES } from './check-ceremony.ts'
import { ALGORITHMS, importPublicKey } from './public-key.ts'
import type { RelyingParty } from './relying-party.ts'
import type { RegistrationResponse } from './schemas.ts'

export interface NewCredential {
  credentialID: string
  publicKey: string
  counter: number
  deviceType: PasskeyRow['deviceType']
  backedUp: number
  transports: string
  aaguid: string
}

/** Unknown transports are omitted, because the options send them back to browsers. */
const TRANSPORTS = new Set(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'])

/** WebAuthn, section 7.1. @throws ApiError as `assertAuthenticatorData`; FAILED_TO_VERIFY_REGISTRATION */
export async function verifyAttestation(
  ceremony: Ceremony,
  relyingParty: RelyingParty,
  challenge: string,
  response: Static<typeof RegistrationResponse>,
): Promise<NewCredential> {
  const authenticatorData = readAuthenticatorData(ceremony, response)
  assertAuthenticatorData(ceremony, authenticatorData, relyingParty)
  try {
    return await verify(relyingParty, challenge, response, authenticatorData)
  } catch (cause) {
    throw new ApiError(FAILURE_CODES[ceremony], { cause })
  }
}

function readAuthenticatorData(ceremony: Ceremony, { response }: Static<typeof RegistrationResponse>): Uint8Array {
  try {
    const bytes = Uint8Array.from(decodeBase64Url(response.attestationObject) ?? [])
    // Section 2 demands canonical CBOR, and the decoder accepts wrong lengths.
    const canonical = isoCBOR.encode(isoCBOR.decodeFirst(bytes))
    if (!Buffer.from(canonical).equals(bytes)) throw new Error('The CBOR is not canonical')
    const attestation = decodeAttestationObject(bytes)
    // Certificates are refused: verifying them would fetch URLs in them, and the options ask for attestation "none".
    const statement: unknown = attestation.get('attStmt')
    const isSelfMade = attestation.get('fmt') === 'packed' && statement instanceof Map && !statement.has('x5c')
    const isNone = attestation.get('fmt') === 'none' && statement instanceof Map && statement.size === 0
    if (!isNone && !isSelfMade) throw new Error('The attestation has an unexpected format')
    return attestation.get('authData')
  } catch (cause) {
    throw new ApiError(FAILURE_CODES[ceremony], { cause })
  }
}

async function verify(
  relyingParty: RelyingParty,
  challenge: string,
  { id, rawId, type, response }: Static<typeof RegistrationResponse>,
  authenticatorData: Uint8Array,
): Promise<NewCredential> {
  const { attestationObject, clientDataJSON, transports = [] } = response
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { id, rawId, type, response: { attestationObject, clientDataJSON }, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  })
  if (!verified) throw new Error('The library refuses the response')
  const { credential, credentialDeviceType, credentialBackedUp, aaguid } = registrationInfo
  if (credential.id !== id) throw new Error('The response is for another credential')
  const publicKey = importPublicKey(credential.publicKey).export({ type: 'spki', format: 'der' })
  // Nothing is signed without an attestation. The two copies in the response must at least be equal.
  assertCopy(response.authenticatorData, authenticatorData)
  assertCopy(response.publicKey, publicKey)
  return {
    credentialID: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64'),
    counter: credential.counter,
    deviceType: credentialDeviceType,
    backedUp: credentialBackedUp ? 1 : 0,
    transports: transports.filter((transport) => TRANSPORTS.has(transport)).join(),
    aaguid,
  }
}

function assertCopy(copy: string | null | undefined, original: Uint8Array): void {
  if (typeof copy === 'string' && !decodeBase64Url(copy)?.equals(original)) throw new Error('The two copies differ')
}
