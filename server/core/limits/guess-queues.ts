import { TooManyWaiting } from '../../platform/crypto/passwords.ts'
import { createTurns } from '../../platform/database/turns.ts'
import type { Budget } from './counters.ts'

const WAITING_MAXIMUM = 1_000

interface Guess {
  leave(): void
  /** Rejects all waiting guesses: while the database hangs, each would wait for a time limit, one after the other. */
  failAllWaiting(error: unknown): void
}

export interface GuessQueues {
  /** @throws TooManyWaiting when 1,000 guesses wait already; the error with which another guess has failed the queue */
  enter(budgets: Budget[]): Promise<Guess>
}

/** Without a queue in the process, each guess polls the database for room. */
export function createGuessQueues(): GuessQueues {
  const turns = createTurns()

  return {
    async enter(budgets) {
      const endings: (() => void)[] = []
      const leave = () => {
        for (const end of endings) end()
      }
      try {
        // All requests enter queues in the order of the keys, so two requests never wait for each other.
        for (const { key, limit } of budgets.toSorted((one, other) => (one.key < other.key ? -1 : 1)))
          endings.push(
            await turns.take(key, limit, (wait) => {
              if (wait.othersWaitingCount >= WAITING_MAXIMUM) wait.leave(new TooManyWaiting())
            }),
          )
      } catch (error) {
        leave()
        throw error
      }
      return {
        leave,
        failAllWaiting(error) {
          for (const { key } of budgets) turns.failAllWaiting(key, error)
        },
      }
    },
  }
}
