import { SourceError } from './source-error.ts'

interface Columns {
  required: readonly string[]
  /** Columns that exist only with certain plugins or options of Better Auth. */
  optional: readonly string[]
}

/** The tables of Better Auth 1.7 that are read. Other columns are ignored. */
export const SOURCE_TABLES = {
  user: {
    required: ['id', 'name', 'email', 'emailVerified', 'createdAt', 'updatedAt'],
    optional: ['image', 'role', 'banned', 'banReason', 'banExpires', 'twoFactorEnabled', 'isAnonymous'],
  },
  account: { required: ['id', 'userId', 'providerId'], optional: ['password', 'createdAt', 'updatedAt'] },
  passkey: {
    required: ['id', 'userId', 'publicKey', 'credentialID', 'counter', 'deviceType', 'backedUp'],
    optional: ['name', 'transports', 'createdAt', 'aaguid'],
  },
  twoFactor: { required: ['secret', 'userId'], optional: ['verified'] },
  organization: { required: ['id', 'name', 'slug', 'createdAt'], optional: ['logo', 'metadata'] },
  member: { required: ['id', 'organizationId', 'userId', 'role', 'createdAt'], optional: [] },
  invitation: {
    required: ['id', 'organizationId', 'email', 'role', 'status', 'expiresAt', 'inviterId'],
    optional: ['createdAt'],
  },
  apikey: {
    required: ['id', 'referenceId', 'key', 'createdAt', 'updatedAt'],
    optional: [
      'name',
      'start',
      'prefix',
      'enabled',
      'expiresAt',
      'lastRequest',
      'remaining',
      'permissions',
      'metadata',
    ],
  },
} as const satisfies Record<string, Columns>

/** The columns of these tables with times, flags and numbers. All others are texts. */
export const NOT_TEXTS: ReadonlySet<string> = new Set([
  'backedUp',
  'banExpires',
  'banned',
  'counter',
  'createdAt',
  'emailVerified',
  'enabled',
  'expiresAt',
  'isAnonymous',
  'lastRequest',
  'remaining',
  'twoFactorEnabled',
  'updatedAt',
  'verified',
])

export type SourceTable = keyof typeof SOURCE_TABLES

/** Tables of Better Auth and its plugins that are not read, with the reason. */
export const OTHER_TABLES: Record<string, string> = {
  session: 'users sign in again',
  verification: 'links that were sent before the import do not work',
  jwks: 'Accounts signs with its own keys',
  rateLimit: 'Accounts counts by itself',
  team: 'Accounts has no teams',
  teamMember: 'Accounts has no teams',
  organizationRole: 'Accounts has the roles owner, admin and member',
  deviceCode: 'devices ask again',
  oauthClient: 'apps are registered again',
  oauthApplication: 'apps are registered again',
  oauthRefreshToken: 'apps ask again',
  oauthAccessToken: 'apps ask again',
  oauthConsent: 'apps ask again',
  ssoProvider: 'Accounts has no sign-in with another service',
  walletAddress: 'Accounts has no sign-in with a wallet',
}

/** Columns of users with which the plugins `username` and `phoneNumber` sign in. They are not read, with the reason. */
export const OTHER_SIGN_INS: Record<string, string> = {
  username: 'users sign in with the email address instead of a user name',
  phoneNumber: 'users sign in with the email address instead of a telephone number',
}

/** Table → its columns. */
export type SourceColumns = Map<string, Set<string>>

/** Refuses a database that is not one of Better Auth, before anything is read. @throws SourceError */
export function assertBetterAuth(columns: SourceColumns): void {
  if (columns.has('auditEvents') && columns.has('users'))
    throw new SourceError('it is a database of Accounts. Give the database of Better Auth, which must be another one')
  const missing = (['user', 'account'] as const).filter((table) => !columns.has(table))
  if (missing.length > 0)
    throw new SourceError(
      `it has no table "${missing.join('" and no table "')}", so it is not a database of Better Auth, or its tables have other names, which is not supported`,
    )
  for (const [table, { required }] of Object.entries(SOURCE_TABLES)) {
    const present = columns.get(table)
    const lacking = present ? required.filter((column) => !present.has(column)) : []
    if (lacking.length > 0)
      throw new SourceError(
        `its table "${table}" has no column "${lacking.join('", "')}". Other names than those of Better Auth 1.7 are not supported`,
      )
  }
}
