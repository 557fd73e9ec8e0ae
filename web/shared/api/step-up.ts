import { useSyncExternalStore } from 'react'

type Finish = (isFresh: boolean) => void

let pending: { result: Promise<boolean>; finish: Finish } | null = null
const listeners = new Set<() => void>()

/** Opens the step-up dialog. Concurrent requests share one dialog and its result. */
export function stepUp(): Promise<boolean> {
  if (pending === null) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    setPending({ result: promise, finish: resolve })
  }
  return pending!.result
}

/** Finishes the pending step-up, or null. */
export function useStepUp(): Finish | null {
  const current = useSyncExternalStore(subscribe, () => pending)
  if (current === null) return null
  return (isFresh) => {
    setPending(null)
    current.finish(isFresh)
  }
}

function setPending(next: typeof pending): void {
  pending = next
  for (const notify of listeners) notify()
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify)
  return () => listeners.delete(notify)
}
