import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inBatches, smallerAfterError } from './in-batches.ts'

describe('Batches', () => {
  test('Batches get smaller after each error, and delete all rows', async () => {
    let rows = 60
    const sizes: number[] = []
    const runBatch = async (limit: number) => {
      sizes.push(limit)
      if (limit > 20) throw new Error('canceling statement due to statement timeout')
      rows = Math.max(0, rows - limit)
      return rows > 0
    }
    await inBatches(smallerAfterError(500, runBatch))
    assert.equal(rows, 0)
    assert.deepEqual(sizes, [500, 100, 20, 20, 20])
  })

  test('Batches end with the error of a batch with one row', async () => {
    const sizes: number[] = []
    const runBatch = async (limit: number): Promise<boolean> => {
      sizes.push(limit)
      throw new Error('the database is not available')
    }
    await assert.rejects(inBatches(smallerAfterError(25, runBatch)), /not available/)
    assert.deepEqual(sizes, [25, 5, 1])
  })
})
