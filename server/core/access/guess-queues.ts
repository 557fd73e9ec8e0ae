import { PasswordsBusy } from '../../platform/crypto/passwords.ts'
import type { Budget } from './counters.ts'

const WAITING_MAXIMUM = 1_000

interface GuessQueue {
  running: number
  waiting: (() => void)[]
}

export interface GuessQueues {
  /**
   * Waits until each budget has room for one more concurrent guess of this process.
   * @returns the function that starts the next waiting guess
   * @throws PasswordsBusy when 1,000 guesses wait already
   */
  enter(budgets: Budget[]): Promise<() => void>
}

/** Queues concurrent guesses in the process: without a queue, each of them polls the database for room. */
export function createGuessQueues(): GuessQueues {
  const queues = new Map<string, GuessQueue>()

  async function enterQueue({ key, limit }: Budget): Promise<void> {
    const queue = queues.get(key) ?? { running: 0, waiting: [] }
    queues.set(key, queue)
    if (queue.running < limit) {
      queue.running += 1
      return
    }
    if (queue.waiting.length >= WAITING_MAXIMUM) throw new PasswordsBusy()
    const { promise, resolve } = Promise.withResolvers<void>()
    queue.waiting.push(resolve)
    await promise
  }

  function leaveQueue({ key }: Budget): void {
    const queue = queues.get(key)
    if (!queue) return
    const next = queue.waiting.shift()
    if (next) next()
    else queue.running -= 1
    if (queue.running === 0) queues.delete(key)
  }

  return {
    async enter(budgets) {
      const entered: Budget[] = []
      const leave = () => entered.forEach(leaveQueue)
      try {
        // All requests enter queues in the order of the keys, so two requests never wait for each other.
        for (const budget of budgets.toSorted((one, other) => (one.key < other.key ? -1 : 1))) {
          await enterQueue(budget)
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
