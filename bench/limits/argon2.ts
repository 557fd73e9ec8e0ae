import { availableParallelism } from 'node:os'
import { numbers, PASSWORD } from '../population.ts'
import { runThread } from './run-thread.ts'

/** Passwords that all cores together can verify in a second when they do nothing else. */
export async function argon2Limit(durationMilliseconds: number): Promise<number> {
  const file = new URL('./argon2-thread.ts', import.meta.url)
  const rates = await Promise.all(
    numbers(availableParallelism()).map(() => runThread(file, { password: PASSWORD, durationMilliseconds })),
  )
  return rates.reduce((sum, rate) => sum + rate)
}
