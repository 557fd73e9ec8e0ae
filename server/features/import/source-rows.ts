import type { SourceTime } from './source-time.ts'

/** Required texts that are missing are empty. SQLite has 0 and 1 for flags. Each engine has its own form of times. */

/** Numbers in a text column of SQLite are texts. A driver that stores numbers as REAL writes 1 as `1.0`. */
const TRUE = ['true', 't', '1', '1.0']
const FALSE = ['false', 'f', '0', '0.0', '']

export type SourceFlag = boolean | number | string | null | undefined
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

export interface SourceTwoFactor {
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
  counter: number | string | null
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

/** @returns undefined for a flag that can't be read: a ban or a second step must not be lost */
export function readFlag(value: SourceFlag): boolean | undefined {
  const text = String(value ?? '').toLowerCase()
  if (TRUE.includes(text)) return true
  return FALSE.includes(text) ? false : undefined
}
