import type { Caller } from '../../../core/access/caller.ts'
import type { Context } from '../../../core/context.ts'
import { listPasskeysOfUser } from '../../../core/credentials/passkey-store.ts'
import { CHALLENGE_MILLISECONDS, type ChallengeBinding, createChallenge } from './challenge.ts'
import { relyingPartyOf } from './relying-party.ts'
import { writeUserHandle } from './user-handle.ts'
import { toDescriptor } from './wire.ts'

/** Without a session, the authenticator offers the passkeys that it has. */
export async function startSignIn(context: Context, caller: Caller | null, bindings: ChallengeBinding[]) {
  const { id: rpId, name } = relyingPartyOf(context.config)
  const passkeys = caller ? await listPasskeysOfUser(context.database, caller.user.id) : []
  const userId = caller?.user.id ?? null
  const challenge = await createChallenge(context, 'sign in with passkey', { caller, data: { bindings } })
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
