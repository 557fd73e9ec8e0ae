import type { Kysely } from 'kysely'
import { PASSWORD_PROVIDER } from '../../../core/credentials/password-store.ts'
import { type KnownDevice, toKnownDevice } from '../../../core/devices/known-device.ts'
import { USER_COLUMNS } from '../../../core/users/store.ts'
import { compileOnce } from '../../../platform/database/compile-once.ts'
import type { Tables, UserRow } from '../../../platform/database/tables.ts'

export interface UserAndPasswordHash {
  user: UserRow
  passwordHash: string | undefined
}

export interface SigningIn extends UserAndPasswordHash {
  knownDevices: KnownDevice[]
}

const selectSigningIn = compileOnce(
  (database, { email, devices, now }: { email: string; devices: string[]; now: number }) =>
    database
      .selectFrom('users')
      .leftJoin('accounts', (join) =>
        join.onRef('accounts.userId', '=', 'users.id').on('accounts.providerId', '=', PASSWORD_PROVIDER),
      )
      .leftJoin('knownDevices', (join) =>
        join
          .onRef('knownDevices.userId', '=', 'users.id')
          .on('knownDevices.device', 'in', devices)
          .on('knownDevices.expiresAt', '>', now),
      )
      .select(USER_COLUMNS)
      .select(['accounts.passwordHash', 'knownDevices.device'])
      .select(['knownDevices.createdAt as deviceCreatedAt', 'knownDevices.expiresAt as deviceExpiresAt'])
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

/** Reads all facts in one statement, because a sign-in waits for each statement. */
export async function findSigningIn(
  database: Kysely<Tables>,
  email: string,
  devices: string[],
  now: number,
): Promise<SigningIn | undefined> {
  // The join returns one row for each known device, and one row without a device if none is known.
  const rows = await selectSigningIn(database, { email, devices, now })
  const [first] = rows
  if (!first) return undefined
  const { device: _device, deviceCreatedAt: _createdAt, deviceExpiresAt: _expiresAt, ...user } = first
  const knownDevices = rows.flatMap(({ device, deviceCreatedAt: createdAt, deviceExpiresAt: expiresAt }) =>
    device === null || createdAt === null || expiresAt === null
      ? []
      : [toKnownDevice({ device, createdAt, expiresAt })],
  )
  return { ...toUserAndPasswordHash(user), knownDevices }
}

/**
 * Concurrent starts of one user wait, so that the limit counts all of them. Other inserts that refer to the user do not
 * wait. The row of the password is locked too: after a wait, PostgreSQL rereads locked rows only.
 */
export async function lockUserWithPasswordForUpdate(
  transaction: Kysely<Tables>,
  email: string,
): Promise<UserAndPasswordHash | undefined> {
  const [row] = await lockUserAndPassword(transaction, { email })
  return row && toUserAndPasswordHash(row)
}

function toUserAndPasswordHash({
  passwordHash,
  ...user
}: UserRow & { passwordHash: string | null }): UserAndPasswordHash {
  return { user, passwordHash: passwordHash ?? undefined }
}
