import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { numbers } from '../population.ts'

/** The message of a thread at its end. */
export interface Repetitions {
  count: number
  perSecond: number
}

/** Tells `measureLimit` that this thread is ready, and repeats the operation for the measured time. */
export async function repeatOperation(operation: () => unknown, underWay = 1): Promise<void> {
  if (!parentPort) throw new Error('Only measureLimit runs this file')
  parentPort.postMessage('ready')
  await once(parentPort, 'message')
  const durationMilliseconds = workerData as number
  const start = performance.now()
  let count = 0

  async function repeat(): Promise<void> {
    while (performance.now() - start < durationMilliseconds) {
      await operation()
      count += 1
    }
  }

  await Promise.all(numbers(underWay).map(repeat))
  const repetitions: Repetitions = { count, perSecond: (count * 1000) / (performance.now() - start) }
  parentPort.postMessage(repetitions)
}
