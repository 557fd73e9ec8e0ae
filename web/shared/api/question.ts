import { createStore } from '../store.ts'

type Finish = (isDone: boolean) => void

/** A question that a dialog asks over any page. Concurrent requests share one dialog and its result. */
export function createQuestion() {
  const pending = createStore<{ result: Promise<boolean>; finish: Finish } | null>(null)

  function finish(isDone: boolean): void {
    const finished = pending.get()
    pending.set(null)
    finished?.finish(isDone)
  }

  return {
    ask(): Promise<boolean> {
      const asked = pending.get()
      if (asked !== null) return asked.result
      const { promise, resolve } = Promise.withResolvers<boolean>()
      pending.set({ result: promise, finish: resolve })
      return promise
    },
    isPending: () => pending.get() !== null,
    finish,
    /** Finishes the pending question, or null. */
    usePending: (): Finish | null => (pending.use() === null ? null : finish),
  }
}
