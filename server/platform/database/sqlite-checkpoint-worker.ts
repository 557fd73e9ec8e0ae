import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const ATTEMPTS_MAXIMUM = 5

// Without a timeout, a checkpoint that holds the lock of the writer does not wait for a reader.
const connection = new DatabaseSync(workerData as string, { timeout: 0 })
const copyMost = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)')
const copyRest = connection.prepare('PRAGMA wal_checkpoint(RESTART)')

parentPort?.on('message', () => {
  // Neither waits for the other: the writer goes on during the long part.
  copyMost.get()
  // The writer waits for the short rest, or it would add pages for ever, and the -wal file would grow.
  for (let attempt = 1; attempt <= ATTEMPTS_MAXIMUM; attempt += 1) {
    const { busy } = copyRest.get() as { busy: number }
    if (busy === 0) break
  }
  parentPort?.postMessage('done')
})
