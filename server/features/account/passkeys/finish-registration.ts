import type { Static } from 'typebox'
import type { Context } from '../../../core/context.ts'
import { type Ceremony, consumeChallenge, type Place } from './challenge.ts'
import { checkOrigin, parseClientData } from './check-ceremony.ts'
import { relyingPartyOf } from './relying-party.ts'
import type { RegistrationResponse } from './schemas.ts'
import { type NewCredential, verifyAttestation } from './verify-attestation.ts'

/**
 * The part that both ways to register share: from the browser's response to a credential, and what was noted when the
 * ceremony began.
 * @throws ApiError CHALLENGE_…; PASSKEY_WRONG_…; USER_VERIFICATION_REQUIRED; FAILED_TO_VERIFY_REGISTRATION
 */
export async function finishRegistration(
  context: Context,
  ceremony: Ceremony,
  places: Place[],
  response: Static<typeof RegistrationResponse>,
): Promise<{ credential: NewCredential; data: Record<string, unknown> }> {
  const relyingParty = relyingPartyOf(context.config)
  const clientData = parseClientData(ceremony, response.response.clientDataJSON)
  const { data } = await consumeChallenge(context, ceremony, clientData.challenge, places)
  checkOrigin(clientData, relyingParty)
  const credential = await verifyAttestation(ceremony, relyingParty, clientData.challenge, response)
  return { credential, data }
}
