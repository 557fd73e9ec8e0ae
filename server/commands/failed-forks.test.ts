import assert from 'node:assert/strict'
import cluster, { type Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { pino } from 'pino'
import { runWorkers, WORKER_WAITS } from './workers.ts'

const waits = { ...WORKER_WAITS, firstPauseMilliseconds: 1 }

/** A system without free processes reports it in one of these ways. */
const FAILURES: Record<string, () => Worker> = {
  'an error that is thrown': () => {
    throw new Error('spawn ENOMEM')
  },
  'an error of a process that does not exist': () => {
    const worker = Object.assign(new EventEmitter(), { id: Math.random(), process: new EventEmitter() })
    setImmediate(() => worker.emit('error', new Error('spawn EAGAIN')))
    return worker as unknown as Worker
  },
}

for (const [what, fork] of Object.entries(FAILURES))
  test(`Workers that can't be started, with ${what}, are tried again, and the first process says so at the end`, async (t) => {
    const forked = t.mock.method(cluster, 'fork', fork)
    const running = runWorkers(1, { log: pino({ level: 'silent' }) }, waits)
    await assert.rejects(running, /5 worker processes in a row did not come up/)
    assert.equal(forked.mock.callCount(), 5)
  })
