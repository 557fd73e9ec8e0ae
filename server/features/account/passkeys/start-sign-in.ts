import type { Caller } from '../../../core/access/caller.ts'
import type { Context } from '../../../core/context.ts'
import { listPasskeysOfUser } from '../../../core/credentials/passkey-store.ts'
import { CHALLENGE_MILLISECONDS, issueChallenge, type Place } from './challenge.ts'
import { relyingPartyOf } from './relying-party.ts'
import { writeUserHandle } from './user-handle.ts'
import { toDescriptor } from './wire.ts'

/**
 * Begins to sign in with a passkey: a signed-in caller with one of their own, anybody else with whichever one the
 * authenticator finds.
 * @param places where the ceremony may be finished
 */
export async function startSignIn(context: Context, caller: Caller | null, places: Place[]) {
  const { id: rpId, name } = relyingPartyOf(context.config)
  const passkeys = caller ? await listPasskeysOfUser(context.database, caller.user.id) : []
  const userId = caller?.user.id ?? null
  const challenge = await issueChallenge(context, 'sign in with passkey', places, { caller, data: {} })
  return {
    challenge,
    rpId,
    rp: { id: rpId, name },
    user: {
      id: userId === null ? '' : writeUserHandle(userId),
      name: caller?.user.email ?? '',
      displayName: caller?.user.name ?? '',
    },
    timeout: CHALLENGE_MILLISECONDS,
    allowCredentials: passkeys.map(toDescriptor),
    userVerification: 'required',
    authenticatorSelection: { requireResidentKey: true, userVerification: 'required' },
    extensions: {},
  }
}
