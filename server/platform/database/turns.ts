import { spendTime } from './time-budget.ts'
import { DatabaseUnavailable } from './unavailable.ts'

interface Queue {
  takenCount: number
  waiting: Set<PromiseWithResolvers<void>>
}

export interface Wait {
  othersWaitingCount: number
  /** Ends the wait with the error, unless the turn has come. */
  leave(error: unknown): void
  leaveAfter(milliseconds: number, newError: () => Error): void
}

export interface Turns {
  /**
   * Waits while `limit` turns of the key are taken.
   * @param onWait is called before a wait, which it may end
   * @returns ends the turn, however often it is called
   */
  take(key: string, limit: number, onWait?: (wait: Wait) => void): Promise<() => void>
  failAllWaiting(key: string, error: unknown): void
}

/** First come, first served for each key. */
export function createTurns(): Turns {
  const queues = new Map<string, Queue>()

  function endTurn(key: string, queue: Queue): void {
    const [next] = queue.waiting
    if (next) {
      queue.waiting.delete(next)
      next.resolve()
    } else queue.takenCount -= 1
    if (queue.takenCount === 0) queues.delete(key)
  }

  return {
    async take(key, limit, onWait) {
      const queue = queues.get(key) ?? { takenCount: 0, waiting: new Set() }
      queues.set(key, queue)
      if (queue.takenCount < limit) queue.takenCount += 1
      else await waitForTurn(queue, onWait)
      let hasEnded = false
      return () => {
        if (!hasEnded) endTurn(key, queue)
        hasEnded = true
      }
    },
    failAllWaiting(key, error) {
      const queue = queues.get(key)
      for (const turn of queue?.waiting ?? []) leaveQueue(queue, turn, error)
    },
  }
}

/** @throws DatabaseUnavailable when the time of the request is over */
export function takeTurnInTime(
  turns: Turns,
  key: string,
  limit: number,
  onWait?: (wait: Wait) => void,
): Promise<() => void> {
  return spendTime(Number.POSITIVE_INFINITY, (milliseconds) =>
    turns.take(key, limit, (wait) => {
      wait.leaveAfter(milliseconds, () => new DatabaseUnavailable(`No turn came within ${Math.round(milliseconds)} ms`))
      onWait?.(wait)
    }),
  )
}

function waitForTurn(queue: Queue, onWait?: (wait: Wait) => void): Promise<void> {
  const turn = Promise.withResolvers<void>()
  const othersWaitingCount = queue.waiting.size
  queue.waiting.add(turn)
  const leave = (error: unknown) => leaveQueue(queue, turn, error)
  onWait?.({
    othersWaitingCount,
    leave,
    leaveAfter(milliseconds, newError) {
      if (milliseconds === Number.POSITIVE_INFINITY) return
      const timer = setTimeout(() => leave(newError()), milliseconds)
      const clear = () => clearTimeout(timer)
      turn.promise.then(clear, clear)
    },
  })
  return turn.promise
}

/** A rejected wait leaves the queue. Otherwise it would get a turn that never ends. */
function leaveQueue(queue: Queue | undefined, turn: PromiseWithResolvers<void>, error: unknown): void {
  if (queue?.waiting.delete(turn)) turn.reject(error)
}
