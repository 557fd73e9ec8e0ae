import type { Caller } from '../../../core/access/caller.ts'
import type { UnitOfWork } from '../../../core/in-transaction.ts'
import { AUTHENTICATION_METHODS } from '../../../core/sessions/authentication-methods.ts'
import { revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import { rotateSession } from '../../../core/sessions/rotate-session.ts'
import { assertMayChangeFactors } from '../../../core/two-step/assert-may-change-factors.ts'
import { deleteSecondStep, findSecondStep, updateSecondStep } from '../../../core/two-step/store.ts'
import { updateLockedUser } from '../../../core/users/store.ts'
import type { AuthenticationMethods, UserRow } from '../../../platform/database/tables.ts'
import { sendEmailUnlessLimited } from '../../../platform/mail/outbox.ts'
import type { Attempt, PreparedEmails, VerifiedSecondStep } from './attempt.ts'
import type { Factor } from './factors.ts'
import type { SessionSubject } from './subject.ts'

/** The first code of a second step turns it on. @throws ApiError UNAUTHORIZED; as `assertMayChangeFactors` */
export async function continueSession(
  unit: UnitOfWork,
  { factor }: Attempt,
  { user, caller }: SessionSubject,
  emails: PreparedEmails,
): Promise<Omit<VerifiedSecondStep, 'trustToken'>> {
  const current = await enableIfPending(unit, user, caller, factor, emails)
  const session = await rotateSession(unit, caller, methodsAfter(caller, factor))
  return { user: current, session }
}

async function enableIfPending(
  unit: UnitOfWork,
  user: UserRow,
  caller: Caller,
  { method }: Factor,
  { enabled }: PreparedEmails,
): Promise<UserRow> {
  const { transaction, context, record } = unit
  // The factor has found this step usable. A second check of its hour could fail: the session would then have a second
  // step, and its user would have none.
  const step = method && (await findSecondStep(transaction, user.id, method))
  if (!step || step.verifiedAt !== null) return user
  // A passkey or a requirement may be newer than the beginning of this setup.
  await assertMayChangeFactors(transaction, context.config, { user, session: caller.session })
  const now = context.now()
  await updateSecondStep(transaction, step, { verifiedAt: now })
  await deleteSecondStep(transaction, user.id, method === 'totp' ? 'otp' : 'totp')
  const current = await updateLockedUser(transaction, user.id, { twoFactorEnabled: 1, updatedAt: now })
  // The other sessions were started without the second step.
  await revokeSessionsOfUser(unit, user.id, caller.session.id)
  await record({ action: 'two-factor.enabled', subjectId: user.id, details: { method } })
  await sendEmailUnlessLimited(unit, { ...enabled, recipient: user.email })
  return current
}

/** Only a session of the password alone gets the method of the code. Others keep their methods. */
function methodsAfter({ session }: Caller, factor: Factor): AuthenticationMethods {
  const isPasswordOnly = session.authenticationMethods === AUTHENTICATION_METHODS.password
  return isPasswordOnly ? factor.authenticationMethods : session.authenticationMethods
}
