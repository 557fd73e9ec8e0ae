import { useSyncExternalStore } from 'react'

/** A value that components show and that code outside of components sets. */
export function createStore<Value>(initial: Value) {
  let value = initial
  const listeners = new Set<() => void>()

  function subscribe(notify: () => void): () => void {
    listeners.add(notify)
    return () => listeners.delete(notify)
  }

  return {
    get: (): Value => value,
    set(next: Value): void {
      value = next
      for (const notify of listeners) notify()
    },
    use: (): Value => useSyncExternalStore(subscribe, () => value),
  }
}
