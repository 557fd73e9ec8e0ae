import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { findPasskey } from '../../../core/credentials/passkey-store.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import type { Ceremony } from './challenge.ts'

/** Records a refusal outside the transaction that is rolled back, about the user who has the credential. */
export async function auditRefusals<T>(
  context: Context,
  actor: Actor,
  ceremony: Ceremony,
  credentialID: string,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) {
      const passkey = await findPasskey(context.database, credentialID)
      const subjectId = passkey?.userId ?? actor.actorId
      context.repeatedEvents.add(actor, {
        action: ceremony === 'sign in with passkey' ? 'sign-in.failed' : 'passkey.refused',
        ...(subjectId && { subjectId }),
        details: { method: 'passkey', code: error.code, ...(passkey && { passkeyId: passkey.id }) },
      })
    }
    throw error
  }
}
