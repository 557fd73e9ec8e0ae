import { PasswordsBusy } from '../../platform/crypto/passwords.ts'
import type { Budget } from './counters.ts'

const WAITING_MAXIMUM = 1_000

interface GuessQueue {
  running: number
  waiting: PromiseWithResolvers<void>[]
}

interface Guess {
  /** Starts the next waiting guess. */
  leave(): void
  /** Rejects all waiting guesses: while the database hangs, each would wait for a time limit before the next one starts. */
  fail(error: unknown): void
}

export interface GuessQueues {
  /**
   * Waits until each budget has room for one more concurrent guess of this process.
   * @throws PasswordsBusy when 1,000 guesses wait already; the error with which another guess has failed the queue
   */
  enter(budgets: Budget[]): Promise<Guess>
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
    const waiting = Promise.withResolvers<void>()
    queue.waiting.push(waiting)
    await waiting.promise
  }

  function leaveQueue({ key }: Budget): void {
    const queue = queues.get(key)
    if (!queue) return
    const next = queue.waiting.shift()
    if (next) next.resolve()
    else queue.running -= 1
    if (queue.running === 0) queues.delete(key)
  }

  function failQueue({ key }: Budget, error: unknown): void {
    for (const { reject } of queues.get(key)?.waiting.splice(0) ?? []) reject(error)
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
      return {
        leave,
        fail(error) {
          for (const budget of entered) failQueue(budget, error)
        },
      }
    },
  }
}
