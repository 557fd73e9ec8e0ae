/** Short, so that no limit for an answer is near. */
const PERIOD_MILLISECONDS = 40

/**
 * Limits each process to a share of a core: signals stop it for the rest of every period. The processes run one after the
 * other, so that other work has a core of its own. The limits of Linux for groups of processes would need root.
 * @param share above 0, at most 1 / the number of processes
 * @returns the function that ends the limit
 */
export function limitToShareOfCore(processIds: number[], share: number): () => void {
  const timers = new Set<NodeJS.Timeout>()
  const after = (milliseconds: number, run: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      run()
    }, milliseconds)
    timers.add(timer)
  }

  function runInTurn(): void {
    const milliseconds = PERIOD_MILLISECONDS * share
    for (const [index, processId] of processIds.entries())
      after((index * PERIOD_MILLISECONDS) / processIds.length, () => {
        process.kill(processId, 'SIGCONT')
        after(milliseconds, () => process.kill(processId, 'SIGSTOP'))
      })
    after(PERIOD_MILLISECONDS, runInTurn)
  }

  function end(): void {
    for (const timer of timers) clearTimeout(timer)
    for (const processId of processIds) process.kill(processId, 'SIGCONT')
    process.off('exit', end)
  }

  // A stopped process would stay for ever.
  process.once('exit', end)
  for (const processId of processIds) process.kill(processId, 'SIGSTOP')
  runInTurn()
  return end
}
