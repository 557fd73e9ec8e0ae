import { useSyncExternalStore } from 'react'
import { createStore } from '../store.ts'

const reachable = createStore(true)

/** Remembers whether the newest request reached the service. */
export function setReachable(isReachable: boolean): void {
  reachable.set(isReachable)
}

export function useIsConnected(): boolean {
  const isReachable = reachable.use()
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine)
  return isOnline && isReachable
}

function subscribe(notify: () => void): () => void {
  const online = () => {
    setReachable(true)
    notify()
  }
  addEventListener('online', online)
  addEventListener('offline', notify)
  return () => {
    removeEventListener('online', online)
    removeEventListener('offline', notify)
  }
}
