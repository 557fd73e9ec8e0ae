import { PasswordsBusy } from '../../platform/crypto/passwords.ts'
import type { Budget } from './counters.ts'

const WAITING_MAXIMUM = 1_000

interface Lane {
  inside: number
  waiting: (() => void)[]
}

export interface Lanes {
  /**
   * Waits until no more guesses of this process are under way in each budget than fit into it.
   * @returns the function that lets the next guess in
   * @throws PasswordsBusy when too many wait already
   */
  enter(budgets: Budget[]): Promise<() => void>
}

/** Queues concurrent guesses in the process. Each would otherwise ask the database again and again for room. */
export function createLanes(): Lanes {
  const lanes = new Map<string, Lane>()

  async function enterLane({ key, limit }: Budget): Promise<void> {
    const lane = lanes.get(key) ?? { inside: 0, waiting: [] }
    lanes.set(key, lane)
    if (lane.inside < limit) {
      lane.inside += 1
      return
    }
    if (lane.waiting.length >= WAITING_MAXIMUM) throw new PasswordsBusy()
    const { promise, resolve } = Promise.withResolvers<void>()
    lane.waiting.push(resolve)
    await promise
  }

  function leaveLane({ key }: Budget): void {
    const lane = lanes.get(key)
    if (!lane) return
    const next = lane.waiting.shift()
    if (next) next()
    else lane.inside -= 1
    if (lane.inside === 0) lanes.delete(key)
  }

  return {
    async enter(budgets) {
      const entered: Budget[] = []
      const leave = () => entered.forEach(leaveLane)
      try {
        // In the order of the keys: requests that wait for each other never form a circle.
        for (const budget of budgets.toSorted((one, other) => (one.key < other.key ? -1 : 1))) {
          await enterLane(budget)
          entered.push(budget)
        }
      } catch (error) {
        leave()
        throw error
      }
      return leave
    },
  }
}
