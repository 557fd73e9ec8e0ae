import { OPERATOR } from '../../../core/audit/actor.ts'
import type { Context } from '../../../core/context.ts'
import { getPersonalFacts } from '../../../core/credentials/get-personal-facts.ts'
import { parseNewPassword } from '../../../core/credentials/parse-password.ts'
import { passwordSetByStaffEmail } from '../../../core/credentials/password-set-email.ts'
import { setPasswordHash } from '../../../core/credentials/password-store.ts'
import {
  NO_ACCESS,
  readAccessAfterRecovery,
  readRemainingAccess,
} from '../../../core/credentials/read-remaining-access.ts'
import { resetLink } from '../../../core/credentials/reset-link.ts'
import { inTransaction, prepareEmailFrom, type UnitOfWork } from '../../../core/in-transaction.ts'
import { revokeImpersonationsOf, revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import { createToken, revokeTokens } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { createUser } from '../../../core/users/create-user.ts'
import { parseEmailAddress } from '../../../core/users/email-address.ts'
import { findUserByEmail } from '../../../core/users/find-user.ts'
import { lockUserByEmailForUpdate } from '../../../core/users/lock-user.ts'
import { promoteToAdmin } from '../../../core/users/store.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { prepareEmail } from '../../../platform/mail/outbox.ts'
import { losesTwoStep, recoverUser } from '../email/recover-user.ts'

export interface CreatedAdmin {
  email: string
  existed: boolean
  /** True if the email address was unverified, so that the former credentials are deleted. */
  lostCredentials: boolean
  /** Absent when the input has a password. */
  passwordLink?: string
}

/** For the command line: works when no administrator is left. @throws ApiError INVALID_EMAIL; PASSWORD_… */
export async function createAdmin(
  context: Context,
  input: { name: string; email: string; password?: string },
): Promise<CreatedAdmin> {
  const { config, database, passwords } = context
  const email = parseEmailAddress(input.email)
  const known = await findUserByEmail(database, email)
  const facts = known ? await getPersonalFacts(database, known) : { email, name: input.name, organizationNames: [] }
  const passwordHash =
    input.password === undefined
      ? undefined
      : await passwords.hash(await parseNewPassword(config, facts, input.password))
  const access = known ? await readAccessAfterRecovery(database, known) : NO_ACCESS
  const isTwoStepOff = known !== undefined && losesTwoStep(known)
  const emailFor = prepareEmailFrom({ ...access, isTwoStepOff }, (rows) =>
    prepareEmail(context, passwordSetByStaffEmail(email, config.baseUrl, rows)),
  )

  return inTransaction(context, OPERATOR, async (unit) => {
    const { transaction } = unit
    const existing = await lockUserByEmailForUpdate(transaction, email)
    const admin = { name: input.name, email, emailVerified: true, role: 'admin', origin: 'command line' } as const
    const user = existing ?? (await createUser(unit, admin))
    const created = { email, existed: existing !== undefined, lostCredentials: existing?.emailVerified === 0 }
    if (existing) await promote(unit, existing)
    if (passwordHash) {
      await setPasswordHash(transaction, context, user.id, passwordHash)
      await revokeSessionsOfUser(unit, user.id)
      await revokeTokens(transaction, user.id, ['reset password'])
      if (existing) {
        const remaining = await readRemainingAccess(transaction, user.id)
        await unit.send(emailFor({ ...remaining, isTwoStepOff: losesTwoStep(existing) }))
        await unit.record({ action: 'password.set', subjectId: user.id })
      }
      return created
    }
    const token = await createToken(transaction, context, 'reset password', { userId: user.id, data: {} })
    if (existing) await unit.record({ action: 'password.link-sent', subjectId: user.id })
    return { ...created, passwordLink: resetLink(config, token) }
  })
}

async function promote(unit: UnitOfWork, existing: UserRow): Promise<void> {
  const { transaction, context, record } = unit
  const { id, role, banned, emailVerified } = existing
  // The credentials of an unverified user may be a stranger's.
  if (emailVerified === 0) await recoverUser(unit, existing)
  await promoteToAdmin(transaction, id, context.now())
  await revokeImpersonationsOf(unit, id)
  // The former mailbox could take the account back, and with it the role.
  await revokeTokens(transaction, id, ['undo email change'])
  if (role !== 'admin')
    await record({ action: 'user.role-set', subjectId: id, details: { role: 'admin', before: role } })
  if (banned === 1) await record({ action: 'user.unbanned', subjectId: id })
}
