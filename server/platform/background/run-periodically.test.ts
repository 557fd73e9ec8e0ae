import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { inBatches } from './in-batches.ts'
import { runPeriodically } from './run-periodically.ts'

const PAUSE_MILLISECONDS = 1_000
const FAILURE = 'the work failed'

describe('runPeriodically', { concurrency: false }, () => {
  test('runPeriodically runs immediately and after each pause, without overlap, and logs failures', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const lines: string[] = []
    const log = pino({}, { write: (line: string) => lines.push(line) })
    const done: PromiseWithResolvers<void>[] = []
    const work = runPeriodically({ log }, PAUSE_MILLISECONDS, FAILURE, () => {
      done.push(Promise.withResolvers())
      return done.at(-1)?.promise ?? Promise.resolve()
    })
    assert.equal(done.length, 0)
    work.start()
    assert.equal(done.length, 1)
    t.mock.timers.tick(PAUSE_MILLISECONDS)
    assert.equal(done.length, 1, 'the first run has not ended')
    done[0]?.reject(new Error('disk on fire'))
    await turn()
    assert.match(lines.join(''), /the work failed/)
    assert.equal(done.length, 1, 'the pause is not over')
    t.mock.timers.tick(PAUSE_MILLISECONDS)
    assert.equal(done.length, 2)
    done[1]?.resolve()
    await work.stop()
  })

  test('stop waits for the current run, and no other run follows', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const done = Promise.withResolvers<void>()
    let begun = 0
    const work = runPeriodically({ log: pino({ level: 'silent' }) }, PAUSE_MILLISECONDS, FAILURE, () => {
      begun += 1
      return done.promise
    })
    work.start()
    let isStopped = false
    const stopping = work.stop().then(() => {
      isStopped = true
    })
    await turn()
    assert.equal(isStopped, false)
    done.resolve()
    await stopping
    t.mock.timers.tick(PAUSE_MILLISECONDS)
    assert.equal(begun, 1)
  })

  test('stop ends work in batches after the current batch', async () => {
    let batches = 0
    const work = runPeriodically({ log: pino({ level: 'silent' }) }, PAUSE_MILLISECONDS, FAILURE, (signal) =>
      inBatches(async () => {
        batches += 1
        return batches < 1_000
      }, signal),
    )
    work.start()
    await work.stop()
    assert.equal(batches, 1)
  })

  test('No run follows after stop during a pause', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    let begun = 0
    const work = runPeriodically({ log: pino({ level: 'silent' }) }, PAUSE_MILLISECONDS, FAILURE, async () => {
      begun += 1
    })
    work.start()
    await turn()
    await work.stop()
    t.mock.timers.tick(PAUSE_MILLISECONDS)
    assert.equal(begun, 1)
  })
})
