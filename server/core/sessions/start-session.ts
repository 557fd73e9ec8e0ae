import type { Kysely } from 'kysely'
import { hashToken, newId, newToken } from '../../platform/crypto/tokens.ts'
import type { SessionRow, Tables } from '../../platform/database/tables.ts'
import type { Actor } from '../audit/actor.ts'
import { recordEvent } from '../audit/record-event.ts'
import type { Context } from '../context.ts'
import type { Device } from '../devices/device.ts'
import { rememberDevice } from '../devices/known-device.ts'
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
  transaction: Kysely<Tables>,
  context: Context,
  actor: Actor,
  { userId, rememberMe, activeOrganizationId = null, device }: Beginning,
): Promise<NewSession> {
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
  await revokeOldestSessions(transaction, context, actor, userId, session.id)
  await recordEvent(transaction, context, actor, {
    action: 'session.started',
    subjectId: userId,
    details: { sessionId: session.id },
  })
  return { token, session, newDeviceToken: await rememberDevice(transaction, context, userId, device) }
}
