import type { Static } from 'typebox'
import type { SessionRow } from '../../platform/database/tables.ts'
import { toIso, toIsoOrNull } from '../../platform/http/time.ts'
import type { Caller } from '../access/caller.ts'
import { toUser } from '../users/wire.ts'
import type { ListedSession, Session, SessionAndUser } from './schemas.ts'

/** @param token the session token for the session itself, else the handle */
export function toSession(row: SessionRow, token: string): Static<typeof Session> {
  return {
    // First, so that no custom property replaces a field of the service.
    ...(JSON.parse(row.properties) as Record<string, unknown>),
    id: row.id,
    expiresAt: toIso(row.expiresAt),
    token,
    createdAt: toIso(row.createdAt),
    updatedAt: toIso(row.updatedAt),
    ipAddress: row.ipAddress,
    userAgent: row.userAgent,
    userId: row.userId,
    activeOrganizationId: row.activeOrganizationId,
    impersonatedBy: row.impersonatedBy,
  }
}

/** get-session has no last use: its response stays the same while only the use of the session is written. */
export function toListedSession(row: SessionRow, token: string): Static<typeof ListedSession> {
  return { ...toSession(row, token), lastUsedAt: toIsoOrNull(row.lastUsedAt) }
}

export function toSessionAndUser({ session, user, token }: Caller, now: number): Static<typeof SessionAndUser> {
  return { session: toSession(session, token), user: toUser(user, now) }
}
