/** Concurrent callers share one run, so that a flood of requests runs the work once. Nothing is cached. */
export function shareWork<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}
