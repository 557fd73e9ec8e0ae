import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ExactCache } from './exact-cache.ts'
import type { OnRowChange, RowChanges } from './row-changes.ts'

interface Entry {
  id: string
  owner: string
}

const ENTRIES_MAXIMUM = 8

function createCache() {
  const watched = new Map<string, OnRowChange>()
  const rowChanges: RowChanges = {
    watch: (table, _column, onChange) => void watched.set(table, onChange),
    catchUp() {},
  }
  const cache = new ExactCache<Entry>(rowChanges, ENTRIES_MAXIMUM, [
    { table: 'entries', column: 'id' },
    { table: 'owners', column: 'id', keyOf: ({ owner }) => owner },
  ])
  return {
    load: (id: string, owner = id) => cache.load(id, async () => ({ id, owner })),
    isCached: (id: string) => cache.find(id) !== undefined,
    change: (table: string, row: string | undefined) => watched.get(table)?.(row),
  }
}

describe('ExactCache', () => {
  test('A change of a row drops its entries, however many were cached after them', async () => {
    for (let loadedAfter = 0; loadedAfter < ENTRIES_MAXIMUM / 2; loadedAfter += 1) {
      const { load, isCached, change } = createCache()
      await load('first', 'shared')
      for (let count = 0; count < loadedAfter; count += 1) await load(`filler ${count}`)
      await load('second', 'shared')
      await load('other')
      assert.ok(isCached('first') && isCached('second'), `${loadedAfter}`)
      change('owners', 'shared')
      assert.ok(!isCached('first') && !isCached('second') && isCached('other'), `${loadedAfter}`)
      await load('first', 'shared')
      for (let count = 0; count < loadedAfter; count += 1) await load(`filler ${count}`)
      change('entries', 'first')
      assert.equal(isCached('first'), false, `${loadedAfter}`)
    }
  })

  test('A change of unknown rows drops every entry', async () => {
    const { load, isCached, change } = createCache()
    const ids = Array.from({ length: ENTRIES_MAXIMUM }, (_nothing, index) => `${index}`)
    for (const id of ids) await load(id)
    assert.ok(ids.every(isCached))
    change('entries', undefined)
    assert.ok(!ids.some(isCached))
  })

  test('The oldest entries are dropped beyond the maximum', async () => {
    const { load, isCached } = createCache()
    const ids = Array.from({ length: 5 * ENTRIES_MAXIMUM }, (_nothing, index) => `${index}`)
    for (const [index, id] of ids.entries()) {
      await load(id)
      const cached = ids.slice(0, index + 1).filter(isCached)
      assert.ok(cached.length <= ENTRIES_MAXIMUM && cached.length >= Math.min(index + 1, ENTRIES_MAXIMUM / 2))
      assert.deepEqual(cached, ids.slice(index + 1 - cached.length, index + 1), 'the newest')
    }
  })
})
