import type { Static } from 'typebox'
import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { inTransaction, prepareEmailFrom } from '../../../core/in-transaction.ts'
import { lockCaller } from '../../../core/sessions/lock-caller.ts'
import { assertMayChangeFactors } from '../../../core/two-step/assert-may-change-factors.ts'
import type { PasskeyRow } from '../../../platform/database/tables.ts'
import { prepareEmail, sendEmailUnlessLimited } from '../../../platform/mail/outbox.ts'
import { auditRefusals } from './audit-refusals.ts'
import { authenticatorName } from './authenticator-name.ts'
import { bindingOfSession } from './challenge.ts'
import { passkeyChangedEmail } from './emails.ts'
import { finishRegistration } from './finish-registration.ts'
import type { RegistrationResponse } from './schemas.ts'
import { storePasskey } from './store-passkey.ts'

interface PasskeyRegistration {
  response: Static<typeof RegistrationResponse>
  name: string | undefined
}

/** @throws ApiError UNAUTHORIZED; as `finishRegistration`, `storePasskey` and `assertMayChangeFactors` */
export function addPasskey(
  context: Context,
  actor: Actor,
  caller: Caller,
  registration: PasskeyRegistration,
): Promise<PasskeyRow> {
  const ceremony = 'register passkey'
  return auditRefusals(context, actor, ceremony, registration.response.id, async () => {
    const { user, session } = caller
    const bindings = [bindingOfSession(session)]
    const { credential, data } = await finishRegistration(context, ceremony, bindings, registration.response)
    const name = registration.name ?? data.name ?? authenticatorName(credential.aaguid, actor.userAgent)
    const circumstances = { at: context.now(), ...actor }
    const { baseUrl } = context.config
    const emailFor = prepareEmailFrom(user.email, (recipient) =>
      prepareEmail(
        context,
        passkeyChangedEmail({ change: 'added', recipient, passkeyName: name, circumstances, baseUrl }),
      ),
    )

    return inTransaction(context, actor, async (unit) => {
      const { transaction } = unit
      const { email } = await lockCaller(transaction, context.now(), caller)
      await assertMayChangeFactors(transaction, context.config, caller)
      const passkey = await storePasskey(unit, { userId: user.id, name, credential })
      await sendEmailUnlessLimited(unit, emailFor(email))
      return passkey
    })
  })
}
