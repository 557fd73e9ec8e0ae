import { Worker } from 'node:worker_threads'

/** After sign-ins, 4 MB of the -wal file. */
const COMMITS_PER_CHECKPOINT = 40

/** A checkpoint takes 10 ms, and 65 ms with a million users, in which the main thread would answer no request. */
export class SqliteCheckpointer {
  private path: string
  private worker: Worker | undefined
  private isRunning = false
  private commitCount = 0

  constructor(path: string) {
    this.path = path
  }

  countCommit(): void {
    this.commitCount += 1
    if (this.commitCount < COMMITS_PER_CHECKPOINT || this.isRunning) return
    this.commitCount = 0
    try {
      this.worker ??= this.start()
    } catch {
      // No thread is left. The writer copies the pages itself when the file reaches its maximum size.
      return
    }
    this.isRunning = true
    this.worker.postMessage('checkpoint')
  }

  async close(): Promise<void> {
    await this.worker?.terminate()
  }

  private start(): Worker {
    const worker = new Worker(new URL('./sqlite-checkpoint-worker.ts', import.meta.url), { workerData: this.path })
    worker.unref()
    worker.on('message', () => {
      this.isRunning = false
    })
    // Until the next checkpoint, the writer may copy the pages itself.
    worker.on('error', () => {
      this.worker = undefined
      this.isRunning = false
    })
    return worker
  }
}
