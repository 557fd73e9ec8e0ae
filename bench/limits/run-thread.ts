import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Runs a file in a thread of its own until it posts what it found: a count per second. */
export async function runThread(file: URL, workerData: unknown): Promise<number> {
  const thread = new Worker(file, { workerData })
  try {
    const [found] = (await once(thread, 'message')) as [number]
    return found
  } finally {
    await thread.terminate()
  }
}
