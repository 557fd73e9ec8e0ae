import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const ATTEMPTS_MAXIMUM = 5

// With timeout 0, RESTART does not wait for a reader while it holds the lock of the writer.
const connection = new DatabaseSync(workerData as string, { timeout: 0 })
const copyMost = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)')
const copyRest = connection.prepare('PRAGMA wal_checkpoint(RESTART)')

parentPort?.on('message', () => {
  // PASSIVE copies most pages while the writer continues.
  copyMost.get()
  // RESTART blocks the writer for the remaining pages. Without it, the -wal file would grow until the writer copies them.
  for (let attempt = 1; attempt <= ATTEMPTS_MAXIMUM; attempt += 1) {
    const { busy } = copyRest.get() as { busy: number }
    if (busy === 0) break
  }
  parentPort?.postMessage('done')
})
