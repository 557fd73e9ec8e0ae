import { useSyncExternalStore } from 'react'

type Settle = (isConfirmed: boolean) => void

let check: { answer: Promise<boolean>; settle: Settle } | null = null
const listeners = new Set<() => void>()

/** Has the visitor show who they are once more. Whoever asks meanwhile waits for the same answer. */
export function confirmIdentity(): Promise<boolean> {
  if (check === null) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    show({ answer: promise, settle: resolve })
  }
  return check!.answer
}

/** How to answer the check that is under way; null while there is none. */
export function useIdentityCheck(): Settle | null {
  const current = useSyncExternalStore(subscribe, () => check)
  if (current === null) return null
  return (isConfirmed) => {
    show(null)
    current.settle(isConfirmed)
  }
}

function show(next: typeof check): void {
  check = next
  for (const notify of listeners) notify()
}

function subscribe(notify: () => void): () => void {
  listeners.add(notify)
  return () => listeners.delete(notify)
}
