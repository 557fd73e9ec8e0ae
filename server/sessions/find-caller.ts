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
  if (!found) return null
  const caller = { ...found, token }
  if (isStillGood(caller, now)) return caller
  if (isBanned(found.user, now)) return null
  const expiresAt = expiryOf(found.session, now)
  await extendSession(context.database, found.session.id, now, expiresAt)
  return { ...caller, session: { ...found.session, updatedAt: now, expiresAt } }
}

/** Whether time alone has changed nothing about a caller: neither has the session ended, nor is it to be extended. */
export function isStillGood({ session, user }: Caller, now: number): boolean {
  return session.expiresAt > now && now - session.updatedAt < EXTENSION_MILLISECONDS && !isBanned(user, now)
}
