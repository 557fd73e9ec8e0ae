/** Rows of Better Auth as JSON, with ids as text. SQLite has 0 and 1 for flags, and every engine has its own form of times. */

export type SourceFlag = boolean | number | null | undefined
export type SourceTime = string | number | null | undefined
type SourceText = string | null | undefined

export interface SourceUser {
  id: string
  name: SourceText
  email: SourceText
  emailVerified: SourceFlag
  image?: SourceText
  createdAt: SourceTime
  updatedAt: SourceTime
  role?: SourceText
  banned?: SourceFlag
  banReason?: SourceText
  banExpires?: SourceTime
  twoFactorEnabled?: SourceFlag
  isAnonymous?: SourceFlag
  accounts: SourceAccount[]
  passkeys: SourcePasskey[]
  twoFactors: SourceTwoFactor[]
}

interface SourceTwoFactor {
  /** The key of an authenticator app, encrypted. */
  secret: string
  verified?: SourceFlag
}

interface SourceAccount {
  id: string
  providerId: string
  password?: SourceText
  createdAt?: SourceTime
  updatedAt?: SourceTime
}

export interface SourcePasskey {
  id: string
  name?: SourceText
  /** The COSE key in base64. */
  publicKey: string
  credentialID: string
  counter: number
  deviceType: string
  backedUp: SourceFlag
  transports?: SourceText
  createdAt?: SourceTime
  aaguid?: SourceText
}

export interface SourceOrganization {
  id: string
  name: SourceText
  slug: SourceText
  logo?: SourceText
  metadata?: SourceText
  createdAt: SourceTime
  members: SourceMember[]
  invitations: SourceInvitation[]
  apiKeys: SourceApiKey[]
}

export interface SourceMember {
  id: string
  userId: string
  /** Several roles are separated by commas. */
  role: SourceText
  createdAt: SourceTime
}

export interface SourceInvitation {
  id: string
  email: SourceText
  role: SourceText
  status: string
  inviterId: string
  expiresAt: SourceTime
  createdAt?: SourceTime
}

export interface SourceApiKey {
  id: string
  referenceId: string
  /** SHA-256 of the API key in base64url. */
  key: string
  name?: SourceText
  start?: SourceText
  prefix?: SourceText
  enabled?: SourceFlag
  expiresAt?: SourceTime
  lastRequest?: SourceTime
  createdAt: SourceTime
  updatedAt: SourceTime
  remaining?: number | null
  permissions?: SourceText
  metadata?: SourceText
}

/** Milliseconds in 1973, and seconds in the year 5138. */
const SMALLEST_MILLISECONDS = 1e11

/**
 * @returns epoch milliseconds; undefined without a time. Adapters write ISO 8601, seconds or milliseconds, and PostgreSQL
 *   leaves out the zone of a `timestamp`, which is UTC.
 */
export function readTime(value: SourceTime): number | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'number') return Math.round(value < SMALLEST_MILLISECONDS ? value * 1000 : value)
  const text = value.replace(' ', 'T')
  const milliseconds = Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`)
  return Number.isNaN(milliseconds) ? undefined : milliseconds
}

export function readFlag(value: SourceFlag): boolean {
  return value === true || value === 1
}
