import { setTimeout as wait } from 'node:timers/promises'

const TIMEOUT_MILLISECONDS = 30_000

/** Waits until a condition is true, for at most 30 seconds. @param what names the condition in the error */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MILLISECONDS
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Not true within 30 seconds: ${what}`)
    await wait(10)
  }
}
