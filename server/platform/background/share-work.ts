/**
 * Callers that come while the work is under way get its result, so however many ask at once, it is done once.
 * Nothing is kept: the next caller after that has it done anew.
 */
export function shareWork<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let underWay: Promise<Result> | undefined
  return () => {
    underWay ??= work().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}
