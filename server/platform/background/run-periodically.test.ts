import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { repeat } from './run-periodically.ts'

const PAUSE_MILLISECONDS = 1_000
const COMPLAINT = 'it could not be done'

describe('Work that is repeated', { concurrency: false }, () => {
  test('is done at once and after each pause, one at a time, and goes on after a failure, which is logged', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const lines: string[] = []
    const log = pino({}, { write: (line: string) => lines.push(line) })
    const done: PromiseWithResolvers<void>[] = []
    const work = repeat({ log }, PAUSE_MILLISECONDS, COMPLAINT, () => {
      done.push(Promise.withResolvers())
      return done.at(-1)?.promise ?? Promise.resolve()
    })
    assert.equal(done.length, 0)
    work.start()
    assert.equal(done.length, 1)
    t.mock.timers.tick(PAUSE_MILLISECONDS)
    assert.equal(done.length, 1, 'the first is still under way')
    done[0]?.reject(new Error('disk on fire'))
    await turn()
    assert.match(lines.join(''), /it could not be done/)
    assert.equal(done.length, 1, 'the pause is not over')
    t.mock.timers.tick(PAUSE_MILLISECONDS)
    assert.equal(done.length, 2)
    done[1]?.resolve()
    await work.stop()
  })

  test('is finished when it is stopped, and not begun again', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const done = Promise.withResolvers<void>()
    let begun = 0
    const work = repeat({ log: pino({ level: 'silent' }) }, PAUSE_MILLISECONDS, COMPLAINT, () => {
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

  test('is not begun again when it is stopped in a pause', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    let begun = 0
    const work = repeat({ log: pino({ level: 'silent' }) }, PAUSE_MILLISECONDS, COMPLAINT, async () => {
      begun += 1
    })
    work.start()
    await turn()
    await work.stop()
    t.mock.timers.tick(PAUSE_MILLISECONDS)
    assert.equal(begun, 1)
  })
})
