import { endWithin, newTimeBudget, REQUEST_MILLISECONDS, spendTime, withTimeBudget } from './time-budget.ts'

/** SQLite blocks the event loop until it has found all keys of a query. */
const KEYS_MAXIMUM = 64
/** Each number of keys is a statement of its own, which is compiled and prepared once. */
const KEY_COUNTS = [1, 4, 16]
/** PostgreSQL runs one query while this process handles the rows of another. */
const QUERIES_MAXIMUM = 2

interface LookUp<Found> extends PromiseWithResolvers<Found | undefined> {
  requestCount: number
}

/**
 * Look-ups by a unique key. One query finds the keys of all requests that wait. It is sent after these requests
 * arrived, so they get no older rows (docs/decisions/35-joined-look-ups.md).
 */
export class JoinedLookUps<Found> {
  private read: (keys: string[]) => Promise<Map<string, Found>>
  private waiting = new Map<string, LookUp<Found>>()
  private queryCount = 0

  /** @param read gets 1, 4, 16 or 64 keys: the last one is repeated */
  constructor(read: (keys: string[]) => Promise<Map<string, Found>>) {
    this.read = read
  }

  /** @throws DatabaseUnavailable */
  find(key: string): Promise<Found | undefined> {
    return spendTime(REQUEST_MILLISECONDS, (milliseconds) => this.wait(key, milliseconds))
  }

  /** The last request removes its key: otherwise the keys of a stall would delay all later look-ups. */
  private async wait(key: string, milliseconds: number): Promise<Found | undefined> {
    const lookUp = this.join(key)
    lookUp.requestCount += 1
    try {
      return await endWithin(milliseconds, lookUp.promise)
    } finally {
      lookUp.requestCount -= 1
      if (lookUp.requestCount === 0 && this.waiting.get(key) === lookUp) this.waiting.delete(key)
    }
  }

  private join(key: string): LookUp<Found> {
    if (this.waiting.size === 0) setImmediate(() => this.send())
    return this.waiting.getOrInsertComputed(key, () => ({
      ...Promise.withResolvers<Found | undefined>(),
      requestCount: 0,
    }))
  }

  private send(): void {
    if (this.waiting.size === 0 || this.queryCount >= QUERIES_MAXIMUM) return
    const asked = new Map(this.waiting.entries().take(KEYS_MAXIMUM))
    for (const key of asked.keys()) this.waiting.delete(key)
    // The query has a budget of its own, because its requests have different amounts of time left.
    withTimeBudget(newTimeBudget(), () => this.answer(asked))
    if (this.waiting.size > 0) setImmediate(() => this.send())
  }

  private async answer(asked: Map<string, LookUp<Found>>): Promise<void> {
    this.queryCount += 1
    try {
      const found = await this.read(fill([...asked.keys()]))
      for (const [key, { resolve }] of asked) resolve(found.get(key))
    } catch (error) {
      for (const { reject } of asked.values()) reject(error)
    }
    this.queryCount -= 1
    setImmediate(() => this.send())
  }
}

function fill(keys: string[]): string[] {
  const count = KEY_COUNTS.find((keyCount) => keyCount >= keys.length) ?? KEYS_MAXIMUM
  return [...keys, ...Array(count - keys.length).fill(keys.at(-1))]
}
