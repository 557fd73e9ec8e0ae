import type { Caller } from '../../../core/access/caller.ts'
import type { Actor } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { deletePasskeyRow, listPasskeysOfUser } from '../../../core/credentials/passkey-store.ts'
import { hasPassword } from '../../../core/credentials/password-store.ts'
import { inTransaction, prepareEmailFrom } from '../../../core/in-transaction.ts'
import { lockCaller } from '../../../core/sessions/lock-caller.ts'
import { revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import { assertMayChangeFactors } from '../../../core/two-step/assert-may-change-factors.ts'
import type { PasskeyRow } from '../../../platform/database/tables.ts'
import { ApiError } from '../../../platform/http/errors.ts'
import { prepareEmail, sendEmailUnlessLimited } from '../../../platform/mail/outbox.ts'
import { passkeyChangedEmail } from './emails.ts'

/**
 * Without the lock of the user, two concurrent requests could delete the last two passkeys.
 * @throws ApiError PASSKEY_NOT_FOUND, also for a passkey of another user (GHSA-4vcf-q4xf-f48m); LAST_WAY_TO_SIGN_IN;
 *   UNAUTHORIZED; as `assertMayChangeFactors`
 */
export async function deletePasskey(context: Context, actor: Actor, caller: Caller, id: string): Promise<void> {
  const { database, config, now } = context
  const { user, session } = caller
  const circumstances = { at: now(), ...actor }
  const { baseUrl } = config
  const passkeyName = getPasskey(await listPasskeysOfUser(database, user.id), id).name
  const emailFor = prepareEmailFrom({ recipient: user.email, passkeyName }, (rows) =>
    prepareEmail(context, passkeyChangedEmail({ change: 'deleted', ...rows, circumstances, baseUrl })),
  )

  await inTransaction(context, actor, async (unit) => {
    const { transaction, record } = unit
    const { email } = await lockCaller(transaction, now(), caller)
    await assertMayChangeFactors(transaction, config, caller)
    const passkeys = await listPasskeysOfUser(transaction, user.id)
    const { name } = getPasskey(passkeys, id)
    if (passkeys.length === 1 && !(await hasPassword(transaction, user.id))) throw new ApiError('LAST_WAY_TO_SIGN_IN')
    await deletePasskeyRow(transaction, user.id, id)
    await revokeSessionsOfUser(unit, user.id, session.id)
    await record({ action: 'passkey.deleted', subjectId: user.id, details: { passkeyId: id, name } })
    await sendEmailUnlessLimited(unit, emailFor({ recipient: email, passkeyName: name }))
  })
}

function getPasskey(passkeys: PasskeyRow[], id: string): PasskeyRow {
  const passkey = passkeys.find((row) => row.id === id)
  if (!passkey) throw new ApiError('PASSKEY_NOT_FOUND')
  return passkey
}
