import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ExactCache } from './exact-cache.ts'
import type { OnRowChange, RowChanges } from './row-changes.ts'

interface Entry {
  id: string
  owner: string
  text?: string
}

const ENTRIES_MAXIMUM = 8

function createCache() {
  const watched = new Map<string, OnRowChange>()
  const rowChanges: RowChanges = {
    watch: (table, _column, onChange) => void watched.set(table, onChange),
    async catchUp() {},
  }
  const cache = new ExactCache<Entry>(
    rowChanges,
    ENTRIES_MAXIMUM,
    [
      { table: 'entries', column: 'id' },
      { table: 'owners', column: 'id', keyOf: ({ owner }) => owner },
    ],
    ({ text = '' }) => text.length,
  )
  const lookUp = async (id: string, owner = id, text = '') => cache.find(id, async () => ({ id, owner, text }))
  return {
    lookUp,
    /** Looks a value up twice, so that it is stored also in a full cache. */
    async load(id: string, owner = id, text = '') {
      await lookUp(id, owner, text)
      await lookUp(id, owner, text)
    },
    async listCached(ids: string[]) {
      const found = await Promise.all(ids.map((id) => cache.find(id, async () => undefined)))
      return found.flatMap((entry) => (entry ? [entry.id] : []))
    },
    change: (table: string, row: string | undefined) => watched.get(table)?.(row),
  }
}

describe('ExactCache', () => {
  test('A change of a row drops its entries, however many were cached after them', async () => {
    for (let loadedAfter = 0; loadedAfter < ENTRIES_MAXIMUM / 2; loadedAfter += 1) {
      const { load, listCached, change } = createCache()
      await load('first', 'shared')
      for (let count = 0; count < loadedAfter; count += 1) await load(`filler ${count}`)
      await load('second', 'shared')
      await load('other')
      assert.deepEqual(await listCached(['first', 'second']), ['first', 'second'], `${loadedAfter}`)
      change('owners', 'shared')
      assert.deepEqual(await listCached(['first', 'second', 'other']), ['other'], `${loadedAfter}`)
      await load('first', 'shared')
      for (let count = 0; count < loadedAfter; count += 1) await load(`filler ${count}`)
      change('entries', 'first')
      assert.deepEqual(await listCached(['first']), [], `${loadedAfter}`)
    }
  })

  test('A change of the row that is the key of an entry drops it, however many entries were cached after it', async () => {
    for (let loadedAfter = 0; loadedAfter < ENTRIES_MAXIMUM; loadedAfter += 1) {
      const { load, listCached, change } = createCache()
      await load('session')
      for (let count = 0; count < loadedAfter; count += 1) await load(`filler ${count}`)
      assert.deepEqual(await listCached(['session']), ['session'], `${loadedAfter}`)
      change('entries', 'session')
      assert.deepEqual(await listCached(['session']), [], `${loadedAfter}`)
    }
  })

  test('A change of unknown rows drops every entry', async () => {
    const { load, listCached, change } = createCache()
    const ids = Array.from({ length: ENTRIES_MAXIMUM }, (_nothing, index) => `${index}`)
    for (const id of ids) await load(id)
    assert.deepEqual(await listCached(ids), ids)
    change('entries', undefined)
    assert.deepEqual(await listCached(ids), [])
  })

  test('The oldest entries are dropped beyond the maximum', async () => {
    const { load, listCached } = createCache()
    const ids = Array.from({ length: 5 * ENTRIES_MAXIMUM }, (_nothing, index) => `${index}`)
    for (const [index, id] of ids.entries()) {
      await load(id)
      const cached = await listCached(ids.slice(0, index + 1))
      assert.ok(cached.length <= ENTRIES_MAXIMUM && cached.length >= Math.min(index + 1, ENTRIES_MAXIMUM / 2))
      assert.deepEqual(cached, ids.slice(index + 1 - cached.length, index + 1), 'the newest')
    }
  })

  test('A value with long texts takes the place of several ones, until it is dropped', async () => {
    const { load, lookUp, listCached, change } = createCache()
    const ids = Array.from({ length: ENTRIES_MAXIMUM }, (_nothing, index) => `${index}`)
    const text = 'x'.repeat(6_144)
    for (const id of ids) await load(id, id, text)
    assert.deepEqual(await listCached(ids), ids.slice(-2))
    change('entries', undefined)
    await lookUp('long', 'long', text)
    change('entries', 'long')
    // A full cache would not store the second one.
    for (const id of ['first', 'second']) await lookUp(id)
    assert.deepEqual(await listCached(['first', 'second']), ['first', 'second'])
  })

  test('While the cache is full, a value that is looked up once replaces no entry', async () => {
    const { load, lookUp, listCached } = createCache()
    const ids = Array.from({ length: ENTRIES_MAXIMUM }, (_nothing, index) => `${index}`)
    for (const id of ids) await load(id)
    for (let count = 0; count < 5 * ENTRIES_MAXIMUM; count += 1) await lookUp(`once ${count}`)
    assert.deepEqual(await listCached(ids), ids)
    await lookUp('again')
    for (let count = 0; count < ENTRIES_MAXIMUM; count += 1) await lookUp(`between ${count}`)
    await lookUp('again')
    assert.deepEqual(await listCached(['again']), [], 'the first look-up is forgotten')
    await lookUp('again')
    assert.deepEqual(await listCached(['again']), ['again'])
  })
})
