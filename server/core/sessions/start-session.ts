import { hashToken, newId, newToken } from '../../platform/crypto/tokens.ts'
import type { SessionRow } from '../../platform/database/tables.ts'
import type { Device } from '../devices/device.ts'
import { rememberDevice } from '../devices/known-device.ts'
import type { UnitOfWork } from '../in-transaction.ts'
import { expiryOf } from './lifetimes.ts'
import { revokeOldestSessions } from './revoke-oldest-sessions.ts'
import { insertSession } from './store.ts'

export interface NewSession {
  /** The credential; the database has its hash only. */
  token: string
  session: SessionRow
  /** For the device's cookie, where it needs one. */
  newDeviceToken?: string | undefined
}

interface Beginning {
  userId: string
  rememberMe: boolean
  activeOrganizationId?: string | null
  device: Device
}

/** Starts a session within the caller's transaction, which has locked the user against other starts. The user has just proved who they are, so it is fresh. */
export async function startSession(
  unit: UnitOfWork,
  { userId, rememberMe, activeOrganizationId = null, device }: Beginning,
): Promise<NewSession> {
  const { transaction, context, actor } = unit
  const now = context.now()
  const token = newToken(context)
  const start = { createdAt: now, rememberMe: rememberMe ? 1 : 0 }
  const session: SessionRow = {
    id: newId('ses', context),
    userId,
    tokenHash: hashToken(token),
    ...start,
    updatedAt: now,
    expiresAt: expiryOf(start, now),
    authenticatedAt: now,
    ipAddress: actor.ipAddress,
    userAgent: actor.userAgent,
    activeOrganizationId,
    impersonatedBy: null,
    properties: '{}',
  }
  await insertSession(transaction, session)
  await revokeOldestSessions(unit, userId, session.id)
  await unit.record({
    action: 'session.started',
    subjectId: userId,
    details: { sessionId: session.id },
  })
  return { token, session, newDeviceToken: await rememberDevice(transaction, context, userId, device) }
}
