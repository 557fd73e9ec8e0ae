import type { Static } from 'typebox'
import type { Context } from '../../../core/context.ts'
import type { TokenData } from '../../../core/single-use-tokens/token-purposes.ts'
import { type Ceremony, type ChallengeBinding, consumeChallenge } from './challenge.ts'
import { assertOrigin, parseClientData } from './check-ceremony.ts'
import { relyingPartyOf } from './relying-party.ts'
import type { RegistrationResponse } from './schemas.ts'
import { type NewCredential, verifyAttestation } from './verify-attestation.ts'

/** @throws ApiError CHALLENGE_…; PASSKEY_WRONG_…; USER_VERIFICATION_REQUIRED; FAILED_TO_VERIFY_REGISTRATION */
export async function finishRegistration<Kind extends Ceremony>(
  context: Context,
  ceremony: Kind,
  bindings: ChallengeBinding[],
  response: Static<typeof RegistrationResponse>,
): Promise<{ credential: NewCredential; data: TokenData[Kind] }> {
  const relyingParty = relyingPartyOf(context.config)
  const clientData = parseClientData(ceremony, response.response.clientDataJSON)
  const { data } = await consumeChallenge(context, ceremony, clientData.challenge, bindings)
  assertOrigin(clientData, relyingParty)
  const credential = await verifyAttestation(ceremony, relyingParty, clientData.challenge, response)
  return { credential, data }
}
