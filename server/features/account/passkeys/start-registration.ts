import type { Caller } from '../../../core/access/caller.ts'
import type { Context } from '../../../core/context.ts'
import { listPasskeysOfUser } from '../../../core/credentials/passkey-store.ts'
import { issueChallenge, placeOfSession } from './challenge.ts'
import { type Attachment, registrationOptions } from './registration-options.ts'
import { relyingPartyOf } from './relying-party.ts'

/** Begins to add a passkey to the caller's account. */
export async function startRegistration(
  context: Context,
  caller: Caller,
  { attachment, name }: { attachment: Attachment | undefined; name: string | undefined },
) {
  const { user, session } = caller
  const existing = await listPasskeysOfUser(context.database, user.id)
  const challenge = await issueChallenge(context, 'register passkey', [placeOfSession(session)], {
    caller,
    data: { name: name ?? null },
  })
  return registrationOptions(relyingPartyOf(context.config), { challenge, user, existing, attachment })
}
