import { hashToken } from '../../platform/crypto/tokens.ts'
import { ExactCache } from '../../platform/database/exact-cache.ts'
import type { RowChanges } from '../../platform/database/row-changes.ts'
import type { Caller, FindCaller } from '../access/caller.ts'
import type { Context } from '../context.ts'
import { findCaller, isStillValid } from './find-caller.ts'
import { createLiveSessions } from './live-session-store.ts'

/** An entry takes about 1.5 KiB. An entry with long texts counts as several. */
const ENTRIES_MAXIMUM = 20_000

/** @param rowChanges undefined switches the cache off, so that each request looks its session up */
export function createCallerFinder(context: Context, rowChanges: RowChanges | undefined): FindCaller {
  const liveSessions = createLiveSessions(context)
  const read: FindCaller = (token, isExtending) => findCaller(context, liveSessions, token, isExtending)
  if (!rowChanges) return read
  const cache = new ExactCache<Caller>(
    rowChanges,
    ENTRIES_MAXIMUM,
    [
      { table: 'sessions', column: 'tokenHash' },
      { table: 'users', column: 'id', keyOf: ({ user }) => user.id },
    ],
    ({ session, user }) => session.properties.length + user.properties.length + (user.image?.length ?? 0),
  )

  return (token, isExtending) => {
    const isUsable = (cached: Caller) => isStillValid(cached, context.now())
    return cache.find(hashToken(token), () => read(token, isExtending), isUsable)
  }
}
