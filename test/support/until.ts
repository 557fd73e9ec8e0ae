import { setTimeout as wait } from 'node:timers/promises'

const PATIENCE_MILLISECONDS = 30_000

/** Waits for what happens sooner or later, with a generous deadline. @param what named when it does not happen */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MILLISECONDS
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`This did not happen within half a minute: ${what}`)
    await wait(10)
  }
}
