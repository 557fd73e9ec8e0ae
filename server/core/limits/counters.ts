import type { Kysely } from 'kysely'
import type { Tables } from '../../platform/database/tables.ts'
import { isLive } from '../../platform/time/is-live.ts'

/**
 * A budget is `limit` uses of one key in a window that begins with the first use. A counter stores the uses, and a
 * charge adds to them. The API calls a counter that is at least half used a throttle.
 */
export interface Budget {
  key: string
  limit: number
  windowMilliseconds: number
}

/** Uses count until the window ends, a reservation while its guess runs. */
export interface Charge {
  budget: Budget
  used: number
  reserved: -1 | 0 | 1
  /** Sets the earlier uses to zero. */
  restores?: boolean
}

export interface Usage {
  budget: Budget
  used: number
  reserved: number
  /** Epoch milliseconds. */
  expiresAt: number
}

export type StoredCounter = Pick<Usage, 'used' | 'expiresAt'>

export const PASSWORD_KIND = 'password'

/** Longer than a guess takes. The reservations of a killed process expire after this time. */
export const RESERVATION_MILLISECONDS = 30_000

export interface UsedCounter extends StoredCounter {
  key: string
  limit: number
}

export interface Counters {
  charge(charges: Charge[]): Promise<Usage[]>
  /** Changes nothing. @returns undefined for a budget without uses in the current window */
  find(budget: Budget): Promise<StoredCounter | undefined>
  listHalfUsed(maximum: number): Promise<UsedCounter[]>
  /** A counter in memory stays until `forget`, because a rollback could not restore it. */
  clear(transaction: Kysely<Tables>, key: string): Promise<boolean>
  /** For a counter whose `clear` is committed. */
  forget(key: string): void
}

/** For each of the two maps, about 50 MB. A flood from more networks deletes the oldest counters first. */
const COUNTERS_MAXIMUM = 200_000
const DELETED_TOGETHER = 1_000
/** Fewer expired counters are not worth a search. */
const SEARCHED_MINIMUM = 1_000

function createCounterMap(now: () => number) {
  const counters = new Map<string, Usage>()
  let createdUntilSearch = SEARCHED_MINIMUM

  function findLive({ key, windowMilliseconds }: Budget): Usage | undefined {
    const found = counters.get(key)
    return found && isLive(found.expiresAt, windowMilliseconds, now()) ? found : undefined
  }

  function getOrCreate(budget: Budget): Usage {
    const found = findLive(budget)
    if (found) return found
    const { key, windowMilliseconds } = budget
    const usage = { budget, used: 0, reserved: 0, expiresAt: now() + windowMilliseconds }
    // The deletion moves the key to the end: a map lists keys in the order of their first insertion.
    counters.delete(key)
    counters.set(key, usage)
    createdUntilSearch -= 1
    if (createdUntilSearch === 0) deleteExpired()
    if (counters.size > COUNTERS_MAXIMUM) deleteOldest()
    return usage
  }

  /** Several together, because each iterator passes the places of all deleted counters first (0.03 ms). */
  function deleteOldest(): void {
    for (const key of counters.keys()) {
      if (counters.size <= COUNTERS_MAXIMUM - DELETED_TOGETHER) return
      counters.delete(key)
    }
  }

  /**
   * Searches after as many new counters as the last search left, so the cost of a new one does not grow with their
   * number. The size alone would start no search while the map is full.
   */
  function deleteExpired(): void {
    for (const { budget } of counters.values()) if (!findLive(budget)) counters.delete(budget.key)
    createdUntilSearch = Math.max(SEARCHED_MINIMUM, counters.size)
  }

  return { counters, findLive, getOrCreate }
}

/** Counters in memory, for SQLite, which only one process uses. */
export function createLocalCounters(now: () => number): Counters {
  // A flood of requests without a session costs an attacker little. It must not delete the counters of wrong passwords,
  // each of which costs a hashing.
  const passwords = createCounterMap(now)
  const others = createCounterMap(now)
  const mapOf = (key: string) => (key.startsWith(`${PASSWORD_KIND} `) ? passwords : others)

  function add({ budget, used, reserved, restores }: Charge): Usage {
    const usage = mapOf(budget.key).getOrCreate(budget)
    usage.used = used + (restores ? 0 : usage.used)
    usage.reserved = Math.max(0, usage.reserved + reserved)
    return { ...usage }
  }

  return {
    charge: async (charges) => charges.map(add),
    find: async (budget) => mapOf(budget.key).findLive(budget),
    async listHalfUsed(maximum) {
      const used = [...passwords.counters.values(), ...others.counters.values()]
        .filter(({ budget, used }) => used * 2 >= budget.limit && mapOf(budget.key).findLive(budget))
        .map(({ budget, used, expiresAt }) => ({ key: budget.key, limit: budget.limit, used, expiresAt }))
      return used.toSorted((one, other) => other.used / other.limit - one.used / one.limit).slice(0, maximum)
    },
    clear: async (_transaction, key) => mapOf(key).counters.has(key),
    forget: (key) => void mapOf(key).counters.delete(key),
  }
}
