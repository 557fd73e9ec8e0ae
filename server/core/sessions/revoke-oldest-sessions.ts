import type { UnitOfWork } from '../in-transaction.ts'
import { lockSessionsOfUserForUpdate } from './lock-sessions.ts'
import { revokeSessions } from './revoke-session.ts'
import { listSessionsBeyond } from './store.ts'

/** Sessions in which staff impersonate the user do not count. */
export async function revokeOldestSessions(unit: UnitOfWork, userId: string, newestId: string): Promise<void> {
  const { transaction, context } = unit
  const others = context.config.sessionsPerUser - 1
  await lockSessionsOfUserForUpdate(transaction, userId)
  const ids = await listSessionsBeyond(transaction, { userId, newestId }, others)
  if (ids.length === 0) return
  await revokeSessions(unit, (where) => where('id', 'in', ids))
  const details = { count: ids.length, reason: 'too many sessions' }
  await unit.record({ action: 'session.ended', subjectId: userId, details })
}
