import { type Limit, measureLimit } from './limit.ts'

/** Measures how many small tokens the thread pool can sign in a second with a 2,048-bit key, without other work. */
export function rs256Limit(durationMilliseconds: number): Promise<Limit> {
  return measureLimit(new URL('./rs256-thread.ts', import.meta.url), 1, durationMilliseconds)
}
