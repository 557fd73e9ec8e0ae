import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { numbers } from '../population.ts'
import type { Repetitions } from './repeat-operation.ts'

export interface Limit {
  perSecond: number
  /** CPU time per operation on all cores. Unlike the rate, it hardly depends on other work on the machine. */
  cpuMicroseconds: number
}

/**
 * Measures threads of this process, which has no concurrent work. They begin together, when each has prepared its key
 * or its hash.
 * @param file calls `repeatOperation`
 */
export async function measureLimit(file: URL, threadCount: number, durationMilliseconds: number): Promise<Limit> {
  const threads = numbers(threadCount).map(() => new Worker(file, { workerData: durationMilliseconds }))
  try {
    await Promise.all(threads.map((thread) => once(thread, 'message')))
    const before = process.cpuUsage()
    for (const thread of threads) thread.postMessage('begin')
    const ends = await Promise.all(threads.map((thread) => once(thread, 'message') as Promise<[Repetitions]>))
    const { user, system } = process.cpuUsage(before)
    const sum = (key: keyof Repetitions) => ends.reduce((total, [repetitions]) => total + repetitions[key], 0)
    return { perSecond: sum('perSecond'), cpuMicroseconds: (user + system) / sum('count') }
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()))
  }
}
