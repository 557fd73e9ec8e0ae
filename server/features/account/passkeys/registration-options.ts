import type { PasskeyRow } from '../../../platform/database/tables.ts'
import { CHALLENGE_MILLISECONDS } from './challenge.ts'
import { ALGORITHMS } from './public-key.ts'
import type { RelyingParty } from './relying-party.ts'
import { writeUserHandle } from './user-handle.ts'
import { toDescriptor } from './wire.ts'

export type AuthenticatorAttachment = 'platform' | 'cross-platform'

interface Registration {
  challenge: string
  user: { id: string; email: string; name: string }
  existing: PasskeyRow[]
  attachment: AuthenticatorAttachment | undefined
}

export function createRegistrationOptions(
  relyingParty: RelyingParty,
  { challenge, user, existing, attachment }: Registration,
) {
  return {
    challenge,
    rp: { name: relyingParty.name, id: relyingParty.id },
    user: { id: writeUserHandle(user.id), name: user.email, displayName: user.name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ alg, type: 'public-key' })),
    timeout: CHALLENGE_MILLISECONDS,
    attestation: 'none',
    excludeCredentials: existing.map(toDescriptor),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
      ...(attachment && { authenticatorAttachment: attachment }),
    },
    extensions: { credProps: true },
    hints: [],
  }
}
