import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction } from '../../../core/in-transaction.ts'
import type { RateLimits } from '../../../core/limits/rate-limits.ts'
import { AUTHENTICATION_METHODS } from '../../../core/sessions/authentication-methods.ts'
import { lockCaller } from '../../../core/sessions/lock-caller.ts'
import { revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import { rotateSession } from '../../../core/sessions/rotate-session.ts'
import type { NewSession } from '../../../core/sessions/start-session.ts'
import { removeTwoStep } from '../../../core/two-step/remove-two-step.ts'
import type { AuthenticationMethods, SessionRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail, sendEmailUnlessLimited } from '../../../platform/mail/outbox.ts'
import { twoStepDisabledEmail } from './emails.ts'
import { reauthenticate } from './reauthenticate.ts'

/** @throws ApiError TWO_FACTOR_NOT_ENABLED; UNAUTHORIZED; as `reauthenticate` */
export async function disableTwoStep(
  context: Context,
  rateLimits: RateLimits,
  actor: Actor,
  caller: Caller,
  password: string | undefined,
): Promise<NewSession> {
  await reauthenticate(context, rateLimits, actor, caller, password)
  const circumstances = { at: context.now(), ...actor }
  const email = prepareEmail(context, twoStepDisabledEmail(context.config.baseUrl, circumstances))
  return inTransaction(context, actor, async (unit) => {
    const { transaction, record } = unit
    const user = await lockCaller(transaction, context.now(), caller)
    if (user.twoFactorEnabled === 0) throw new ApiError('TWO_FACTOR_NOT_ENABLED')
    await removeTwoStep(unit, user.id)
    await revokeSessionsOfUser(unit, user.id, caller.session.id)
    const rotated = await rotateSession(unit, caller, methodsWithoutSecondStep(caller.session))
    await record({ action: 'two-factor.disabled', subjectId: user.id })
    await sendEmailUnlessLimited(unit, { ...email, recipient: user.email })
    return rotated
  })
}

function methodsWithoutSecondStep({ authenticationMethods }: SessionRow): AuthenticationMethods {
  const { passkey, password } = AUTHENTICATION_METHODS
  return authenticationMethods === passkey ? passkey : password
}
