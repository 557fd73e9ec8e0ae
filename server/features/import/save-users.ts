import { insertPasskeys } from '../../core/credentials/passkey-store.ts'
import { insertPasswords } from '../../core/credentials/password-store.ts'
import type { UnitOfWork } from '../../core/in-transaction.ts'
import { insertSecondSteps } from '../../core/two-step/store.ts'
import { insertUsers } from '../../core/users/store.ts'
import { chunksOf } from '../../platform/database/chunks.ts'
import type { PlannedUser } from './plan-user.ts'

export async function saveUsers({ transaction, recordAll }: UnitOfWork, users: PlannedUser[]): Promise<void> {
  await insertUsers(
    transaction,
    users.map(({ user }) => user),
  )
  await insertPasswords(
    transaction,
    users.flatMap(({ account }) => account ?? []),
  )
  // Better Auth has no limit for the passkeys of a user.
  for (const rows of chunksOf(users.flatMap(({ passkeys }) => passkeys))) await insertPasskeys(transaction, rows)
  await insertSecondSteps(
    transaction,
    users.flatMap(({ secondStep }) => secondStep ?? []),
  )
  await recordAll(
    users.map(({ user, account, passkeys }) => ({
      action: 'user.created',
      subjectId: user.id,
      details: { role: user.role, origin: 'import', hasPassword: account !== undefined, passkeyCount: passkeys.length },
    })),
  )
}
