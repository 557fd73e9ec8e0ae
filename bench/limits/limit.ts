export interface Limit {
  perSecond: number
  /** Of all cores, for each; it hardly depends on what else is at work on the machine, as the rate does. */
  cpuMicroseconds: number
}

/** Runs something that says how many a second it did, in threads of this process, which does nothing else concurrently. */
export async function measureLimit(run: () => Promise<number>): Promise<Limit> {
  const startedAt = performance.now()
  const before = process.cpuUsage()
  const perSecond = await run()
  const { user, system } = process.cpuUsage(before)
  const seconds = (performance.now() - startedAt) / 1000
  return { perSecond, cpuMicroseconds: (user + system) / (perSecond * seconds) }
}
