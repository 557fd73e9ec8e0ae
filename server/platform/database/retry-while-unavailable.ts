import { setTimeout as pause } from 'node:timers/promises'
import { isUnavailable } from './unavailable.ts'

/** @param onFailure is called with the error of each try. @throws the error of the last try */
export async function retryWhileUnavailable(
  [waitMilliseconds, ...laterWaits]: number[],
  work: () => Promise<unknown>,
  onFailure: (error: unknown) => void,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    onFailure(error)
    if (waitMilliseconds === undefined || !isUnavailable(error)) throw error
    await pause(waitMilliseconds)
    await retryWhileUnavailable(laterWaits, work, onFailure)
  }
}
