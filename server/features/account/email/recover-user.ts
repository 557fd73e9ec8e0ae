import type { UnitOfWork } from '../../../core/in-transaction.ts'
import { revokeSessionsOfUser } from '../../../core/sessions/revoke-session.ts'
import { revokeTokens } from '../../../core/single-use-tokens/single-use-tokens.ts'
import { saveEmail } from '../../../core/users/store.ts'
import type { UserRow } from '../../../platform/database/tables.ts'
import { deleteCredentials } from './delete-credentials.ts'

/**
 * The mailbox's owner has proved to be who they are: sessions and pending changes of whoever was there before end
 * (Sudhodanan & Paverd: unexpired session, unexpired email change); and where nobody had proved the mailbox before, the
 * credentials too (GHSA-qq9h-g4jm-xgf3). Links that undo a change of address stay good: they are with the owner of the
 * earlier address. Within the caller's transaction, which has locked the user.
 */
export async function recoverUser(unit: UnitOfWork, user: UserRow): Promise<UserRow> {
  const { transaction, context } = unit
  const userId = user.id
  await revokeSessionsOfUser(unit, userId)
  await revokeTokens(transaction, userId, ['reset password', 'verify email'])
  if (user.emailVerified === 1) return user
  await deleteCredentials(transaction, userId)
  await saveEmail(transaction, userId, user.email, context.now())
  await unit.record({ action: 'email.verified', subjectId: userId })
  return { ...user, emailVerified: 1 }
}
