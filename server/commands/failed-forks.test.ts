import assert from 'node:assert/strict'
import cluster, { type Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { afterEach, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { until } from '../../test/support/until.ts'
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

describe("Workers that can't be started", () => {
  // The first processes never stop here, and the events of the next test would reach them too.
  afterEach(() => {
    for (const event of ['listening', 'message', 'exit']) cluster.removeAllListeners(event)
  })

  test('A worker that fails after another one has started is tried again after the first pause', async (t) => {
    const fail = FAILURES['an error that is thrown'] ?? assert.fail()
    const forked = t.mock.method(cluster, 'fork', failAtFirst(1, fail))
    const waitsBefore: unknown[] = []
    const { setTimeout: start } = globalThis
    const paused = t.mock.method(globalThis, 'setTimeout', (work: () => void, milliseconds?: number) => {
      waitsBefore.push(milliseconds)
      return start(work, 0)
    })
    void runWorkers(3, { log: pino({ level: 'silent' }) }, waits)
    const [, second, third] = forked.mock.calls.map(({ result }) => result)
    cluster.emit('listening', second)
    cluster.emit('exit', third, 1, null)
    paused.mock.restore()
    assert.deepEqual(waitsBefore, [1, 1])
    await until(() => forked.mock.callCount() === 3 + 2, 'both are forked again')
  })

  for (const [what, fork] of Object.entries(FAILURES))
    test(`Workers that can't be started, with ${what}, are tried again, and the first process says so at the end`, async (t) => {
      const forked = t.mock.method(cluster, 'fork', fork)
      const running = runWorkers(1, { log: pino({ level: 'silent' }) }, waits)
      await assert.rejects(running, /5 worker processes in a row did not come up/)
      assert.equal(forked.mock.callCount(), 5)
    })

  for (const [what, fail] of Object.entries(FAILURES))
    test(`Eight workers that can't be started at one moment, with ${what}, count as one failure`, async (t) => {
      const forked = t.mock.method(cluster, 'fork', failAtFirst(8, fail))
      const gaveUp = t.mock.fn()
      runWorkers(8, { log: pino({ level: 'silent' }) }, waits).catch(gaveUp)
      await until(() => forked.mock.callCount() === 8 + 8, 'each of them is tried again')
      assert.equal(gaveUp.mock.callCount(), 0)
    })

  test('After five failures in a row, no other worker is started', async (t) => {
    const fail = FAILURES['an error that is thrown'] ?? assert.fail()
    const failures = 4 * 8 + 1
    const forked = t.mock.method(cluster, 'fork', failAtFirst(failures, fail))
    const running = runWorkers(8, { log: pino({ level: 'silent' }) }, waits)
    await assert.rejects(running, /5 worker processes in a row did not come up/)
    await pause(50)
    assert.equal(forked.mock.callCount(), failures)
  })
})

function failAtFirst(failures: number, fail: () => Worker): () => Worker {
  let calls = 0
  return () => {
    calls += 1
    if (calls <= failures) return fail()
    const worker = Object.assign(new EventEmitter(), { id: calls, process: { pid: calls, kill: () => true } })
    return worker as unknown as Worker
  }
}
