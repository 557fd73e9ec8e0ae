import type { Caller } from '../../../core/access/caller.ts'
import type { Context } from '../../../core/context.ts'
import { listPasskeysOfUser } from '../../../core/credentials/passkey-store.ts'
import { assertMayChangeFactors } from '../../../core/two-step/assert-may-change-factors.ts'
import { bindingOfSession, createChallenge } from './challenge.ts'
import { type AuthenticatorAttachment, createRegistrationOptions } from './registration-options.ts'
import { relyingPartyOf } from './relying-party.ts'

/** @throws ApiError TWO_FACTOR_REQUIRED as `assertMayChangeFactors` */
export async function startRegistration(
  context: Context,
  caller: Caller,
  { attachment, name }: { attachment: AuthenticatorAttachment | undefined; name: string | undefined },
) {
  const { user, session } = caller
  await assertMayChangeFactors(context.database, context.config, caller)
  const existing = await listPasskeysOfUser(context.database, user.id)
  const challenge = await createChallenge(context, 'register passkey', {
    caller,
    data: { name: name ?? null, bindings: [bindingOfSession(session)] },
  })
  return createRegistrationOptions(relyingPartyOf(context.config), { challenge, user, existing, attachment })
}
