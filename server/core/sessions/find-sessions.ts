import type { Kysely } from 'kysely'
import type { SessionRow, Tables } from '../../platform/database/tables.ts'
import { listLiveSessions } from './store.ts'

/** A user's sessions that are not over, those in which staff act as them included; the latest first. */
export function findSessionsOfUser(database: Kysely<Tables>, userId: string, now: number): Promise<SessionRow[]> {
  return listLiveSessions(database, userId, now, { impersonated: true })
}
