import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Runs a file in a new thread until it posts a rate per second. */
export async function runThread(file: URL, workerData: unknown): Promise<number> {
  const thread = new Worker(file, { workerData })
  try {
    const [found] = (await once(thread, 'message')) as [number]
    return found
  } finally {
    await thread.terminate()
  }
}
