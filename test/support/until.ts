import { setTimeout as wait } from 'node:timers/promises'

/** Waits until a condition is true. @param what names the condition in the error */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  timeoutSeconds = 30,
): Promise<void> {
  const deadline = performance.now() + timeoutSeconds * 1000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Not true within ${timeoutSeconds} seconds: ${what}`)
    await wait(25)
  }
}
