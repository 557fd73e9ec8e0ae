/**
 * Concurrent callers share one run of the work and its result, so that a flood of requests runs it once. Nothing is cached.
 */
export function shareWork<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}
