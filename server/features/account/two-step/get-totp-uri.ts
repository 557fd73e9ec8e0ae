import type { Caller } from '../../../core/access/caller.ts'
import type { RateLimits } from '../../../core/access/rate-limits.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import { lockCaller } from '../../../core/sessions/lock-caller.ts'
import { findSecondStep } from '../../../core/two-step/store.ts'
import { totpUri } from '../../../core/two-step/totp.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { reauthenticate } from './reauthenticate.ts'

/** @throws ApiError TOTP_NOT_ENABLED; as `reauthenticate` and `lockCaller` */
export async function getTotpUri(
  context: Context,
  rateLimits: RateLimits,
  actor: Actor,
  caller: Caller,
  password: string | undefined,
): Promise<string> {
  await reauthenticate(context, rateLimits, actor, caller, password)
  await inTransaction(context, actor, ({ transaction }) => lockCaller(transaction, context.now(), caller))
  const { encryptedSecret } = (await findSecondStep(context.database, caller.user.id, 'totp')) ?? {}
  if (!encryptedSecret) throw new ApiError('TOTP_NOT_ENABLED')
  const secret = Buffer.from(context.keyring.decrypt('second step', encryptedSecret), 'base64url')
  return totpUri(secret, context.config.brand.name, caller.user.email)
}
