import { hashToken } from '../../platform/crypto/tokens.ts'
import type { RowChanges } from '../../platform/database/row-changes.ts'
import type { Caller, FindCaller } from '../access/caller.ts'
import type { Context } from '../context.ts'
import { findCaller, isStillValid } from './find-caller.ts'

/** At about 1.5 KiB each. */
const ENTRIES_MAXIMUM = 20_000

/**
 * SQLite has an exact cache. A commit of this process deletes the entries of the changed sessions and users. A commit of
 * another process clears the cache; the cache checks for one once per turn of the event loop.
 * PostgreSQL has no cache: its notifications arrive after the commit, so a revoked session would stay valid until then.
 */
export function createCallerFinder(context: Context, rowChanges: RowChanges | undefined): FindCaller {
  if (!rowChanges) return (token, isExtending) => findCaller(context, token, isExtending)
  const cache = new CallerCache(rowChanges)

  return (token, isExtending) => {
    const tokenHash = hashToken(token)
    const cached = cache.get(tokenHash)
    if (cached && isStillValid(cached, context.now())) return cached
    const { generation } = cache
    return findCaller(context, token, isExtending).then((caller) => {
      // A commit during the look-up may have changed the caller.
      if (caller && cache.generation === generation) cache.set(tokenHash, caller)
      return caller
    })
  }
}

class CallerCache {
  private rowChanges: RowChanges
  private callers = new Map<string, Caller>()
  private tokenHashesOfUser = new Map<string, Set<string>>()
  /** Increases with every commit that may make an entry stale. */
  generation = 0
  private isChecked = false

  /** @throws when the triggers can't be created: without them, revoked sessions would stay in the cache */
  constructor(rowChanges: RowChanges) {
    this.rowChanges = rowChanges
    this.watch()
  }

  get(tokenHash: string): Caller | undefined {
    this.checkOnceATurn()
    return this.callers.get(tokenHash)
  }

  set(tokenHash: string, caller: Caller): void {
    const oldest = this.callers.keys().next()
    if (this.callers.size >= ENTRIES_MAXIMUM && !oldest.done) this.drop(oldest.value)
    this.callers.set(tokenHash, caller)
    const hashes = this.tokenHashesOfUser.get(caller.user.id) ?? new Set()
    this.tokenHashesOfUser.set(caller.user.id, hashes.add(tokenHash))
  }

  private checkOnceATurn(): void {
    if (this.isChecked) return
    if (this.wasChangedElsewhere()) this.clear()
  }

  private wasChangedElsewhere(): boolean {
    try {
      const isChanged = this.rowChanges.changedElsewhere()
      this.isChecked = true
      setImmediate(() => {
        this.isChecked = false
      })
      return isChanged
    } catch {
      // Any entry may be stale. The look-up that follows reports a database that can't be read.
      return true
    }
  }

  private clear(): void {
    this.generation += 1
    this.callers.clear()
    this.tokenHashesOfUser.clear()
  }

  private watch(): void {
    this.rowChanges.watch('sessions', 'tokenHash', (tokenHash) => {
      this.generation += 1
      this.drop(tokenHash)
    })
    this.rowChanges.watch('users', 'id', (userId) => {
      this.generation += 1
      for (const tokenHash of this.tokenHashesOfUser.get(userId) ?? []) this.drop(tokenHash)
    })
  }

  private drop(tokenHash: string): void {
    const caller = this.callers.get(tokenHash)
    if (!caller) return
    this.callers.delete(tokenHash)
    const hashes = this.tokenHashesOfUser.get(caller.user.id)
    hashes?.delete(tokenHash)
    if (hashes?.size === 0) this.tokenHashesOfUser.delete(caller.user.id)
  }
}
