import { syncBuiltinESMExports } from 'node:module'
import type { TestContext } from 'node:test'
import workerThreads from 'node:worker_threads'

/** Until the test ends, new threads are refused as by an operating system that has none left. */
export function refuseThreads(t: TestContext): () => void {
  const { Worker } = workerThreads
  workerThreads.Worker = class {
    constructor() {
      throw Object.assign(new Error('Worker initialization failure: EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' })
    }
  } as unknown as typeof Worker
  syncBuiltinESMExports()
  const allow = () => {
    workerThreads.Worker = Worker
    syncBuiltinESMExports()
  }
  t.after(allow)
  return allow
}
