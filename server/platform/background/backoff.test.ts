import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBackoff, delayBeforeRetry } from './backoff.ts'

const middle = { randomBytes: () => Buffer.from([127]) }

test('delayBeforeRetry doubles up to its maximum, with a jitter of a quarter', () => {
  const seconds = [1, 2, 3, 50].map((attempts) => Math.round(delayBeforeRetry(middle, attempts, 1_800_000) / 1_000))
  assert.deepEqual(seconds, [5, 10, 20, 1_798])
  const extremes = [0, 255].map((byte) => delayBeforeRetry({ randomBytes: () => Buffer.from([byte]) }, 1, 60_000))
  assert.deepEqual(extremes, [3_750, 6_250])
})

test('Conversations that fail together cause one pause, which grows with the next failure, up to a minute', () => {
  let now = 0
  const backoff = createBackoff({ ...middle, now: () => now })
  const first = backoff.recordFailure()
  assert.equal(backoff.recordFailure(), first)
  assert.deepEqual([backoff.isPaused(), backoff.isOnProbation()], [true, true])
  now += first
  assert.equal(backoff.isPaused(), false)
  assert.ok(backoff.recordFailure() > first)
  for (let failures = 0; failures < 20; failures += 1) now += backoff.recordFailure()
  assert.equal(Math.round(backoff.recordFailure() / 1_000), 60)
  backoff.recordResponse()
  assert.deepEqual([backoff.isPaused(), backoff.isOnProbation(), backoff.responseCount()], [false, false, 1])
})

test('A pause ends when the clock is set back by an hour', () => {
  let now = 3_600_000
  const backoff = createBackoff({ ...middle, now: () => now })
  backoff.recordFailure()
  now = 0
  assert.equal(backoff.isPaused(), false)
})
