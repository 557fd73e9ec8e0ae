import type { Kysely } from 'kysely'
import { compileOnce } from '../../platform/database/compile-once.ts'
import type { Tables, UserRow } from '../../platform/database/tables.ts'

/** How the linked account that is a password is called on the wire. */
export const PASSWORD_PROVIDER = 'credential'

export interface UserWithPassword {
  user: UserRow
  passwordHash: string | undefined
}

const selectUserWithPassword = compileOnce((database, { email }: { email: string }) =>
  database
    .selectFrom('users')
    .leftJoin('accounts', (join) =>
      join.onRef('accounts.userId', '=', 'users.id').on('accounts.providerId', '=', PASSWORD_PROVIDER),
    )
    .selectAll('users')
    .select('accounts.passwordHash')
    .where('users.email', '=', email),
)

export async function findUserWithPassword(
  database: Kysely<Tables>,
  email: string,
): Promise<UserWithPassword | undefined> {
  const [row] = await selectUserWithPassword(database, { email })
  if (!row) return undefined
  const { passwordHash, ...user } = row
  return { user, passwordHash: passwordHash ?? undefined }
}

/** Replaces a hash, unless the password was changed concurrently. @returns whether it was replaced */
export async function replacePasswordHash(
  database: Kysely<Tables>,
  userId: string,
  oldHash: string,
  { newHash, now }: { newHash: string; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('accounts')
    .set({ passwordHash: newHash, updatedAt: now })
    .where('userId', '=', userId)
    .where('providerId', '=', PASSWORD_PROVIDER)
    .where('passwordHash', '=', oldHash)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}
