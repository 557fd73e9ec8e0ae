import type { Context } from '../context.ts'
import type { Caller } from '../http/caller.ts'
import { hashToken } from '../secrets/tokens.ts'
import { isBanned } from '../users/banned.ts'
import { EXTENSION_MILLISECONDS, expiryOf } from './lifetimes.ts'
import { extendSession, findLiveSession } from './store.ts'

/** Credential → caller; null when it opens nothing: unknown, ended, expired, or of a banned user. */
export async function findCaller(context: Context, token: string): Promise<Caller | null> {
  const now = context.now()
  const found = await findLiveSession(context.database, hashToken(token), now)
  if (!found || isBanned(found.user, now)) return null
  const { session, user } = found
  if (now - session.updatedAt < EXTENSION_MILLISECONDS) return { session, user, token }
  const expiresAt = expiryOf(session, now)
  await extendSession(context.database, session.id, now, expiresAt)
  return { session: { ...session, updatedAt: now, expiresAt }, user, token }
}
