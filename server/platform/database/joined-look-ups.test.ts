import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { JoinedLookUps } from './joined-look-ups.ts'
import { newTimeBudget, shorterTimeBudget, withTimeBudget } from './time-budget.ts'
import { isUnavailable } from './unavailable.ts'

/** Queries that are answered when the test says so. Each finds its keys, except "unknown". */
function createLookUps() {
  const queries: { keys: string[]; leftMilliseconds: number; answer: () => void; fail: (error: Error) => void }[] = []
  const lookUps = new JoinedLookUps<string>((keys) => {
    const { promise, resolve, reject } = Promise.withResolvers<Map<string, string>>()
    const known = keys.filter((key) => key !== 'unknown')
    const { leftMilliseconds } = shorterTimeBudget(Number.POSITIVE_INFINITY)
    const answer = () => resolve(new Map(known.map((key) => [key, `row of ${key}`])))
    queries.push({ keys, leftMilliseconds, answer, fail: reject })
    return promise
  })
  return { queries, find: (key: string) => lookUps.find(key) }
}

describe('Joined look-ups', () => {
  test('Look-ups of one turn of the event loop are one query, and each gets its own row', async () => {
    const { queries, find } = createLookUps()
    const found = Promise.all(['one', 'other', 'one', 'unknown'].map(find))
    await turn()
    assert.deepEqual(
      queries.map(({ keys }) => keys),
      [['one', 'other', 'unknown', 'unknown']],
    )
    queries[0]?.answer()
    assert.deepEqual(await found, ['row of one', 'row of other', 'row of one', undefined])
    await turn()
    assert.equal(queries.length, 1, 'no query is sent without look-ups')
  })

  test('A look-up never gets the row of a query that was sent before it', async () => {
    const { queries, find } = createLookUps()
    const earlier = find('session')
    await turn()
    const later = find('session')
    await turn()
    assert.equal(queries.length, 2)
    queries[0]?.answer()
    assert.equal(await earlier, 'row of session')
    assert.equal(await Promise.race([later, pause(20, 'waits')]), 'waits')
    queries[1]?.answer()
    assert.equal(await later, 'row of session')
  })

  test('At most two queries run, and the look-ups that wait for them are one query', async () => {
    const { queries, find } = createLookUps()
    const found = ['first', 'second', 'third', 'fourth'].map(async (key) => find(key))
    await turn()
    const later: Promise<string | undefined>[] = []
    for (const key of ['a', 'b', 'c', 'd', 'e']) {
      later.push(find(key))
      await turn()
    }
    assert.deepEqual(
      queries.map(({ keys }) => keys),
      [['first', 'second', 'third', 'fourth'], ['a']],
    )
    queries[0]?.answer()
    await Promise.all(found)
    await turn()
    assert.deepEqual(queries[2]?.keys, ['b', 'c', 'd', 'e'])
    for (const { answer } of queries) answer()
    assert.deepEqual(
      await Promise.all(later),
      ['a', 'b', 'c', 'd', 'e'].map((key) => `row of ${key}`),
    )
  })

  test('Queries have 1, 4, 16 or 64 keys, whatever the number of look-ups', async () => {
    for (const [lookUpCount, keyCounts] of [
      [1, [1]],
      [2, [4]],
      [5, [16]],
      [17, [64]],
      [150, [64, 64, 64]],
    ] as const) {
      const { queries, find } = createLookUps()
      const keys = Array.from({ length: lookUpCount }, (_nothing, index) => `key ${index}`)
      const found = Promise.all(keys.map(find))
      for (const [index] of keyCounts.entries()) {
        await turn()
        queries[index]?.answer()
        await turn()
      }
      assert.deepEqual(
        await found,
        keys.map((key) => `row of ${key}`),
      )
      assert.deepEqual(
        queries.map((query) => query.keys.length),
        keyCounts,
      )
    }
  })

  test('Look-ups beyond the largest query are a second one, which does not wait for the first', async () => {
    const { queries, find } = createLookUps()
    const found = Promise.all(Array.from({ length: 150 }, (_nothing, index) => find(`key ${index}`)))
    for (let turns = 0; turns < 5; turns += 1) await turn()
    assert.deepEqual(
      queries.map(({ keys }) => keys.length),
      [64, 64],
    )
    for (const { answer } of queries) answer()
    for (let turns = 0; turns < 5; turns += 1) await turn()
    queries[2]?.answer()
    assert.equal((await found)[149], 'row of key 149')
  })

  test('After a stall, the keys of refused requests are not looked up', async () => {
    const { queries, find } = createLookUps()
    const stalled = [find('first')]
    await turn()
    stalled.push(find('second'))
    await turn()
    const refused = Array.from({ length: 1_000 }, (_nothing, index) =>
      withTimeBudget(newTimeBudget(20), () => find(`key ${index}`)),
    )
    const shared = find('key 500')
    for (const outcome of await Promise.allSettled(refused)) assert.equal(outcome.status, 'rejected')
    const later = find('later')
    for (const { answer } of queries) answer()
    await Promise.all(stalled)
    for (let turns = 0; turns < 5; turns += 1) await turn()
    assert.deepEqual(queries[2]?.keys.slice(0, 2), ['key 500', 'later'])
    queries[2]?.answer()
    assert.deepEqual(await Promise.all([shared, later]), ['row of key 500', 'row of later'])
    assert.equal(queries.length, 3)
  })

  test('A failed query fails its own look-ups only', async () => {
    const { queries, find } = createLookUps()
    const failing = Promise.allSettled([find('one'), find('other')])
    await turn()
    const running = find('one')
    await turn()
    const waiting = find('other')
    const reason = new Error('the connection was lost')
    queries[0]?.fail(reason)
    assert.deepEqual(await failing, Array(2).fill({ status: 'rejected', reason }))
    queries[1]?.answer()
    assert.equal(await running, 'row of one')
    await turn()
    queries[2]?.answer()
    assert.equal(await waiting, 'row of other')
  })

  test('A request that has no time left is refused, and those of the same query are answered', async () => {
    const { queries, find } = createLookUps()
    const hasLittleTime = withTimeBudget(newTimeBudget(20), () => find('session'))
    const hasTime = withTimeBudget(newTimeBudget(), () => find('session'))
    await assert.rejects(hasLittleTime, isUnavailable)
    assert.equal(queries.length, 1)
    assert.ok((queries[0]?.leftMilliseconds ?? 0) > 20, 'the query has the time of a whole request')
    queries[0]?.answer()
    assert.equal(await hasTime, 'row of session')
    await assert.rejects(
      withTimeBudget(newTimeBudget(0), () => find('session')),
      isUnavailable,
    )
    assert.equal(queries.length, 1, 'no query is sent for it')
  })
})
