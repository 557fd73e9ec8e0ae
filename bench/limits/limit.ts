export interface Limit {
  perSecond: number
  /** CPU time per operation on all cores. Unlike the rate, it hardly depends on other work on the machine. */
  cpuMicroseconds: number
}

/** Runs a measurement in threads of this process, which has no concurrent work. */
export async function measureLimit(run: () => Promise<number>): Promise<Limit> {
  const startedAt = performance.now()
  const before = process.cpuUsage()
  const perSecond = await run()
  const { user, system } = process.cpuUsage(before)
  const seconds = (performance.now() - startedAt) / 1000
  return { perSecond, cpuMicroseconds: (user + system) / (perSecond * seconds) }
}
