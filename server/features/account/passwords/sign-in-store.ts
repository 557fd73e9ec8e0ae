import type { Kysely } from 'kysely'
import { PASSWORD_PROVIDER } from '../../../core/credentials/password-store.ts'
import type { Device } from '../../../core/devices/device.ts'
import { isFormerDevice } from '../../../core/devices/store.ts'
import { compileOnce } from '../../../platform/database/compile-once.ts'
import type { Tables, UserRow } from '../../../platform/database/tables.ts'

export interface UserWithPassword {
  user: UserRow
  /** Undefined for a user without a password. */
  passwordHash: string | undefined
}

export interface SigningIn extends UserWithPassword {
  /** Whether the user has signed in on the device before, unless it has expired. */
  isDeviceKnown: boolean
  /** Whether all sessions were revoked since, so that the sign-in sends an email. */
  isDeviceFormer: boolean
}

/** Each by its name: PostgreSQL does not keep the plan of a statement with `*`. */
const USER_COLUMNS = [
  'users.id',
  'users.name',
  'users.email',
  'users.emailVerified',
  'users.image',
  'users.role',
  'users.banned',
  'users.banReason',
  'users.banExpires',
  'users.createdAt',
  'users.updatedAt',
  'users.properties',
  'users.twoFactorEnabled',
] as const

const selectSigningIn = compileOnce(
  (database, { email, device, now }: { email: string; device: string; now: number }) =>
    database
      .selectFrom('users')
      .leftJoin('accounts', (join) =>
        join.onRef('accounts.userId', '=', 'users.id').on('accounts.providerId', '=', PASSWORD_PROVIDER),
      )
      .leftJoin('knownDevices', (join) =>
        join
          .onRef('knownDevices.userId', '=', 'users.id')
          .on('knownDevices.device', '=', device)
          .on('knownDevices.expiresAt', '>', now),
      )
      .select(USER_COLUMNS)
      .select(['accounts.passwordHash', 'knownDevices.createdAt as deviceCreatedAt'])
      .where('users.email', '=', email),
)

const lockUserAndPassword = compileOnce((database, { email }: { email: string }) =>
  database
    .selectFrom('users')
    .innerJoin('accounts', 'accounts.userId', 'users.id')
    .select(USER_COLUMNS)
    .select('accounts.passwordHash')
    .where('users.email', '=', email)
    .where('accounts.providerId', '=', PASSWORD_PROVIDER)
    .forNoKeyUpdate(['users', 'accounts']),
)

/**
 * Everything in one statement, because a sign-in waits for each.
 * @param now epoch milliseconds
 * @returns undefined for an unknown email address
 */
export async function findSigningIn(
  database: Kysely<Tables>,
  email: string,
  { hash = '' }: Device,
  now: number,
): Promise<SigningIn | undefined> {
  const [row] = await selectSigningIn(database, { email, device: hash, now })
  if (!row) return undefined
  const { deviceCreatedAt: createdAt, ...user } = row
  const isDeviceKnown = createdAt !== null
  return { ...toUserWithPassword(user), isDeviceKnown, isDeviceFormer: isDeviceKnown && isFormerDevice({ createdAt }) }
}

/**
 * For the start of a session: concurrent starts of one user wait, so that the limit counts all of them. Other inserts that
 * refer to the user do not wait. Both rows are locked, because PostgreSQL reads only locked rows again after a wait.
 * @returns undefined for a user without a password too
 */
export async function lockUserWithPassword(
  transaction: Kysely<Tables>,
  email: string,
): Promise<UserWithPassword | undefined> {
  const [row] = await lockUserAndPassword(transaction, { email })
  return row && toUserWithPassword(row)
}

function toUserWithPassword({ passwordHash, ...user }: UserRow & { passwordHash: string | null }): UserWithPassword {
  return { user, passwordHash: passwordHash ?? undefined }
}
