import { useSyncExternalStore } from 'react'

let isReachable = true
const listeners = new Set<() => void>()

/** Remembers whether the newest request reached the service. */
export function setReachable(next: boolean): void {
  if (next === isReachable) return
  isReachable = next
  for (const notify of listeners) notify()
}

export function useIsConnected(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine && isReachable)
}

function subscribe(notify: () => void): () => void {
  const online = () => {
    setReachable(true)
    notify()
  }
  listeners.add(notify)
  addEventListener('online', online)
  addEventListener('offline', notify)
  return () => {
    listeners.delete(notify)
    removeEventListener('online', online)
    removeEventListener('offline', notify)
  }
}
