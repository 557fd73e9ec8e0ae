import { generateRegistrationOptions } from '@simplewebauthn/server'
import type { PasskeyRow } from '../../../platform/database/tables.ts'
import { CHALLENGE_MILLISECONDS } from './challenge.ts'
import { ALGORITHMS } from './public-key.ts'
import type { RelyingParty } from './relying-party.ts'
import { userHandleBytes } from './user-handle.ts'
import { toDescriptor } from './wire.ts'

export type AuthenticatorAttachment = 'platform' | 'cross-platform'

interface Registration {
  challenge: string
  user: { id: string; email: string; name: string }
  /** The user's passkeys: an authenticator that has one of them creates no second one. */
  existing: PasskeyRow[]
  attachment: AuthenticatorAttachment | undefined
}

/** Demands a discoverable credential and user verification. */
export async function createRegistrationOptions(
  relyingParty: RelyingParty,
  { challenge, user, existing, attachment }: Registration,
) {
  const options = await generateRegistrationOptions({
    rpID: relyingParty.id,
    rpName: relyingParty.name,
    userID: userHandleBytes(user.id),
    userName: user.email,
    userDisplayName: user.name,
    challenge: Uint8Array.from(Buffer.from(challenge, 'base64url')),
    timeout: CHALLENGE_MILLISECONDS,
    attestationType: 'none',
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
      ...(attachment && { authenticatorAttachment: attachment }),
    },
    supportedAlgorithmIDs: ALGORITHMS,
  })
  const { authenticatorSelection = {}, extensions = {}, hints = [], attestation = 'none' } = options
  return {
    ...options,
    timeout: CHALLENGE_MILLISECONDS,
    excludeCredentials: existing.map(toDescriptor),
    authenticatorSelection: { ...authenticatorSelection, requireResidentKey: true, userVerification: 'required' },
    extensions: { ...extensions },
    attestation,
    hints,
  }
}
