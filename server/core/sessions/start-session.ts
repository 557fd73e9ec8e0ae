import { hashToken, newId, newToken } from '../../platform/crypto/tokens.ts'
import type { AuthenticationMethods, SessionRow, UserRow } from '../../platform/database/tables.ts'
import { moveClientSessions } from '../client-sessions/move-client-sessions.ts'
import type { Device } from '../devices/device.ts'
import { rememberDevice } from '../devices/known-device.ts'
import type { UnitOfWork } from '../in-transaction.ts'
import { expiryOf, SESSION_MILLISECONDS_MAXIMUM } from './lifetimes.ts'
import { revokeOldestSessions } from './revoke-oldest-sessions.ts'
import { revokeSession } from './revoke-session.ts'
import { readStartFacts } from './start-store.ts'
import { insertSession } from './store.ts'

export interface NewSession {
  token: string
  session: SessionRow
  newDeviceToken?: string | undefined
  isOnAdditionalDevice?: boolean
}

export type SignedIn = NewSession & { user: UserRow }

interface SessionStart {
  userId: string
  rememberMe: boolean
  activeOrganizationId?: string | null
  device: Device
  authenticationMethods: AuthenticationMethods
  /** Set for a sign-in. Other sessions start after a sign-up or a change of the password. */
  method?: 'password' | 'passkey'
  /** The start of the session that this one replaces without a new sign-in. Now by default. */
  createdAt?: number
  /** The locked session of the same user that ends now. The sessions at clients go on under the new session. */
  replaced?: SessionRow | undefined
}

/** The transaction has locked the user against concurrent starts, so that the limit per user counts all of them. */
export async function startSession(unit: UnitOfWork, start: SessionStart): Promise<NewSession> {
  const { transaction, context } = unit
  const { userId, rememberMe, device, method, replaced } = start
  const now = context.now()
  const token = newToken(context)
  const session = newSessionRow(unit, token, now, start)
  await insertSession(transaction, session)
  if (replaced) await replaceSession(unit, replaced, session, now)
  const details = { sessionId: session.id, ...(method && { method }) }
  await unit.record({ action: 'session.started', subjectId: userId, details })
  const facts = await readStartFacts(transaction, {
    userId,
    sessionsMaximum: context.config.sessionsPerUser,
    device: device.hash ?? '',
    now,
  })
  if (facts.hasTooManySessions) await revokeOldestSessions(unit, userId, session.id)
  const { newDeviceToken, isAdditional } = await rememberDevice(
    transaction,
    context,
    userId,
    { ...device, rememberMe },
    facts,
  )
  return { token, session, newDeviceToken, isOnAdditionalDevice: isAdditional }
}

function newSessionRow(
  { context, actor }: UnitOfWork,
  token: string,
  now: number,
  { userId, rememberMe, activeOrganizationId = null, authenticationMethods, createdAt = now }: SessionStart,
): SessionRow {
  const times = { createdAt, rememberMe: rememberMe ? 1 : 0 }
  return {
    id: newId('ses', context),
    userId,
    tokenHash: hashToken(token),
    ...times,
    updatedAt: now,
    lastUsedAt: now,
    expiresAt: expiryOf(times, now),
    authenticatedAt: now,
    authenticationMethods,
    ipAddress: actor.ipAddress,
    userAgent: actor.userAgent,
    activeOrganizationId,
    impersonatedBy: null,
    properties: '{}',
  }
}

async function replaceSession(
  unit: UnitOfWork,
  replaced: SessionRow,
  { id, rememberMe }: SessionRow,
  now: number,
): Promise<void> {
  // The tokens of a session of one day must not live for 30.
  if (replaced.rememberMe === 1 || rememberMe === 0)
    await moveClientSessions(unit.transaction, replaced, { id, latestEnd: now + SESSION_MILLISECONDS_MAXIMUM })
  await revokeSession(unit, replaced)
}
