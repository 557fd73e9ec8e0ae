import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, prepareEmailFrom } from '../../../core/in-transaction.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { lockCaller } from '../../../core/sessions/lock-caller.ts'
import { findUsableSecondStep } from '../../../core/two-step/store.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail, sendEmailUnlessLimited } from '../../../platform/mail/outbox.ts'
import { totpSecretShownEmail } from './emails.ts'
import { reauthenticate } from './reauthenticate.ts'
import { totpUri } from './totp.ts'

/**
 * The email has a limit, so that a stolen session can't fill the mailbox.
 * @throws ApiError TOTP_NOT_ENABLED; as `reauthenticate` and `lockCaller`
 */
export async function getTotpUri(
  context: Context,
  rateLimits: RateLimits,
  actor: Actor,
  caller: Caller,
  password: string | undefined,
): Promise<string> {
  const { config, keyring, now } = context
  await reauthenticate(context, rateLimits, actor, caller, password)
  const circumstances = { at: now(), ...actor }
  const emailFor = prepareEmailFrom(caller.user.email, (recipient) =>
    prepareEmail(context, totpSecretShownEmail(recipient, config.baseUrl, circumstances)),
  )
  const { encryptedSecret, email } = await inTransaction(context, actor, async (unit) => {
    const { transaction, record } = unit
    const user = await lockCaller(transaction, now(), caller)
    const step = await findUsableSecondStep(transaction, now(), { user, caller }, 'totp')
    if (!step?.encryptedSecret) throw new ApiError('TOTP_NOT_ENABLED')
    await record({ action: 'two-factor.secret-shown', subjectId: user.id })
    await sendEmailUnlessLimited(unit, emailFor(user.email))
    return { encryptedSecret: step.encryptedSecret, email: user.email }
  })
  const secret = Buffer.from(keyring.decrypt('second step', encryptedSecret), 'base64url')
  return totpUri(secret, config.brand.name, email)
}
