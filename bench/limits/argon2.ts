import { availableParallelism } from 'node:os'
import { numbers, PASSWORD } from '../population.ts'
import { type Limit, measureLimit } from './limit.ts'
import { runThread } from './run-thread.ts'

/** Measures how many passwords all cores can verify in a second without other work. */
export function argon2Limit(durationMilliseconds: number): Promise<Limit> {
  const file = new URL('./argon2-thread.ts', import.meta.url)
  const run = () => runThread(file, { password: PASSWORD, durationMilliseconds })
  return measureLimit(async () => {
    const rates = await Promise.all(numbers(availableParallelism()).map(run))
    return rates.reduce((sum, rate) => sum + rate)
  })
}
