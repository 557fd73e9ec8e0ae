import type { Kysely } from 'kysely'
import { PASSWORD_PROVIDER } from '../../../core/credentials/password-store.ts'
import { compileOnce } from '../../../platform/database/compile-once.ts'
import type { Tables, UserRow } from '../../../platform/database/tables.ts'

export interface SigningIn {
  user: UserRow
  /** Undefined for a user without a password. */
  passwordHash: string | undefined
  /** Those of the `devices` in the question on which the user has signed in before. */
  knownDevices: string[]
}

interface Question {
  email: string
  devices: string[]
  /** Epoch milliseconds. */
  now: number
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

const selectSigningIn = compileOnce((database, question: Question) =>
  selectUserAndDevices(database, question)
    .leftJoin('accounts', (join) =>
      join.onRef('accounts.userId', '=', 'users.id').on('accounts.providerId', '=', PASSWORD_PROVIDER),
    )
    .select('accounts.passwordHash'),
)

const lockSigningIn = compileOnce((database, question: Question) =>
  selectUserAndDevices(database, question)
    .innerJoin('accounts', 'accounts.userId', 'users.id')
    .select('accounts.passwordHash')
    .where('accounts.providerId', '=', PASSWORD_PROVIDER)
    .forNoKeyUpdate(['users', 'accounts']),
)

function selectUserAndDevices(database: Kysely<Tables>, { email, devices, now }: Question) {
  return database
    .selectFrom('users')
    .leftJoin('knownDevices', (join) =>
      join
        .onRef('knownDevices.userId', '=', 'users.id')
        .on('knownDevices.device', 'in', devices)
        .on('knownDevices.expiresAt', '>', now),
    )
    .select(USER_COLUMNS)
    .select('knownDevices.device')
    .where('users.email', '=', email)
}

/** Everything in one statement, because a sign-in waits for each. @returns undefined for an unknown email address */
export async function findSigningIn(database: Kysely<Tables>, question: Question): Promise<SigningIn | undefined> {
  return toSigningIn(await selectSigningIn(database, question))
}

/**
 * For the start of a session: concurrent starts of one user wait, so that the limit counts all of them. Other inserts that
 * refer to the user do not wait. Both rows are locked, because PostgreSQL reads only locked rows again after a wait.
 * @returns undefined for a user without a password too
 */
export async function lockUserOfSignIn(
  transaction: Kysely<Tables>,
  question: Question,
): Promise<SigningIn | undefined> {
  return toSigningIn(await lockSigningIn(transaction, question))
}

type FoundRow = UserRow & { passwordHash: string | null; device: string | null }

/** @param rows one for each known device; one without a device if none is known */
function toSigningIn(rows: FoundRow[]): SigningIn | undefined {
  const [first] = rows
  if (!first) return undefined
  const { passwordHash, device: _device, ...user } = first
  const knownDevices = rows.flatMap(({ device }) => (device === null ? [] : [device]))
  return { user, passwordHash: passwordHash ?? undefined, knownDevices }
}
