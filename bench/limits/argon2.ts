import { availableParallelism } from 'node:os'
import { type Limit, measureLimit } from './limit.ts'

/** Measures how many passwords all cores can verify in a second without other work. */
export function argon2Limit(durationMilliseconds: number): Promise<Limit> {
  return measureLimit(new URL('./argon2-thread.ts', import.meta.url), availableParallelism(), durationMilliseconds)
}
