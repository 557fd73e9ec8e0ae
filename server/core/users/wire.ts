import type { Static } from 'typebox'
import type { UserRow } from '../../platform/database/tables.ts'
import { toIso, toIsoOrNull } from '../../platform/http/time.ts'
import { isBanned } from './banned.ts'
import type { BasicUser, User } from './schemas.ts'

/** @param now epoch milliseconds: an expired ban is not shown */
export function toUser(row: UserRow, now: number): Static<typeof User> {
  const banned = isBanned(row, now)
  return {
    // First, so that no custom property replaces a field of the service.
    ...(JSON.parse(row.properties) as Record<string, unknown>),
    id: row.id,
    name: row.name,
    email: row.email,
    emailVerified: row.emailVerified === 1,
    image: row.image,
    createdAt: toIso(row.createdAt),
    updatedAt: toIso(row.updatedAt),
    role: row.role,
    banned,
    banReason: banned ? row.banReason : null,
    banExpires: banned ? toIsoOrNull(row.banExpires) : null,
    twoFactorEnabled: row.twoFactorEnabled === 1,
  }
}

export function toBasicUser(row: UserRow): Static<typeof BasicUser> {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    image: row.image,
    emailVerified: row.emailVerified === 1,
    createdAt: toIso(row.createdAt),
    updatedAt: toIso(row.updatedAt),
  }
}
