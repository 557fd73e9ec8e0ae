import { useSyncExternalStore } from 'react'

type Finish = (isDone: boolean) => void

/** A question that a dialog asks over any page. Concurrent requests share one dialog and its result. */
export function createQuestion() {
  let pending: { result: Promise<boolean>; finish: Finish } | null = null
  const listeners = new Set<() => void>()

  function setPending(next: typeof pending): void {
    pending = next
    for (const notify of listeners) notify()
  }

  function subscribe(notify: () => void): () => void {
    listeners.add(notify)
    return () => listeners.delete(notify)
  }

  function finish(isDone: boolean): void {
    const finished = pending
    setPending(null)
    finished?.finish(isDone)
  }

  return {
    ask(): Promise<boolean> {
      if (pending === null) {
        const { promise, resolve } = Promise.withResolvers<boolean>()
        setPending({ result: promise, finish: resolve })
      }
      return pending!.result
    },
    isPending: () => pending !== null,
    finish,
    /** Finishes the pending question, or null. */
    usePending: (): Finish | null => (useSyncExternalStore(subscribe, () => pending) === null ? null : finish),
  }
}
