import { type Limit, measureLimit } from './limit.ts'
import { runThread } from './run-thread.ts'

/** Small tokens that this machine signs in a second with a 2,048-bit key, on the thread pool, when it does nothing else. */
export function rs256Limit(durationMilliseconds: number): Promise<Limit> {
  const file = new URL('./rs256-thread.ts', import.meta.url)
  return measureLimit(() => runThread(file, { durationMilliseconds }))
}
