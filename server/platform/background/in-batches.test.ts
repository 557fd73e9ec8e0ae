import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DatabaseUnavailable } from '../database/unavailable.ts'
import { inBatches, smallerAfterTimeout } from './in-batches.ts'

const statementTimeout = () =>
  Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })

describe('Batches', () => {
  test('Batches get smaller after each statement timeout, and delete all rows', async () => {
    let rows = 60
    const sizes: number[] = []
    const runBatch = async (limit: number) => {
      sizes.push(limit)
      if (limit > 20) throw statementTimeout()
      rows = Math.max(0, rows - limit)
      return rows > 0
    }
    await inBatches(smallerAfterTimeout(500, runBatch))
    assert.equal(rows, 0)
    assert.deepEqual(sizes, [500, 100, 20, 20, 20])
  })

  test('Batches end with the one during which the signal is aborted', async () => {
    const stopping = new AbortController()
    let count = 0
    const runBatch = async () => {
      count += 1
      if (count === 2) stopping.abort()
      return count < 5
    }
    await inBatches(runBatch, stopping.signal)
    assert.equal(count, 2)
  })

  test('Batches end after the statement timeout of a batch with one row, and immediately after any other error', async () => {
    for (const [error, expected] of [
      [statementTimeout(), [25, 5, 1]],
      [new DatabaseUnavailable('The database did not answer within 1700 ms'), [25]],
    ] as const) {
      const sizes: number[] = []
      const runBatch = async (limit: number): Promise<boolean> => {
        sizes.push(limit)
        throw error
      }
      await assert.rejects(inBatches(smallerAfterTimeout(25, runBatch)), error)
      assert.deepEqual(sizes, expected)
    }
  })
})
