/** At most `limit` uses of one key in a window of time that begins with the first use. */
export interface Budget {
  key: string
  limit: number
  windowMilliseconds: number
}

/** What is added to one counter: a use that stays until the window ends, a reservation for a guess under way, or both. */
export interface Charge {
  budget: Budget
  used: 0 | 1
  reserved: -1 | 0 | 1
}

/** What a counter stands at. */
export interface Usage {
  budget: Budget
  used: number
  reserved: number
  /** Epoch milliseconds. */
  expiresAt: number
}

export interface Counters {
  /** Adds to several counters in one step. @returns the counters afterwards */
  charge(charges: Charge[]): Promise<Usage[]>
  /** Releases one reservation and sets what was used to zero. */
  restore(budget: Budget): Promise<void>
}

/** About 50 MB. A flood from more networks than that drops the oldest counters first. */
const COUNTERS_MAXIMUM = 200_000

/** Counters of one process: for SQLite, which only one process serves. */
export function createLocalCounters(now: () => number): Counters {
  const counters = new Map<string, Usage>()

  function find(budget: Budget): Usage {
    const { key, windowMilliseconds } = budget
    const found = counters.get(key)
    if (found && isLive(found.expiresAt, windowMilliseconds, now())) return found
    const usage = { budget, used: 0, reserved: 0, expiresAt: now() + windowMilliseconds }
    // Deleted first, because a map lists its keys in the order of their first insertion.
    counters.delete(key)
    counters.set(key, usage)
    if (counters.size > COUNTERS_MAXIMUM) counters.delete(counters.keys().next().value ?? '')
    return usage
  }

  function add({ budget, used, reserved }: Charge): Usage {
    const usage = find(budget)
    usage.used += used
    usage.reserved = Math.max(0, usage.reserved + reserved)
    return { ...usage }
  }

  return {
    charge: async (charges) => charges.map(add),
    async restore(budget) {
      add({ budget, used: 0, reserved: -1 })
      find(budget).used = 0
    },
  }
}

/** A counter that ends too far ahead was begun by a clock that was wrong. Clocks of several processes differ a little. */
export function isLive(expiresAt: number, windowMilliseconds: number, now: number): boolean {
  return expiresAt > now && expiresAt <= now + 2 * windowMilliseconds
}
