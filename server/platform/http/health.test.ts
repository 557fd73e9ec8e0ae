import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { createMigratedDatabase } from '../../../test/support/migrated-database.ts'
import { openDatabase } from '../database/open.ts'
import { registerHealthRoutes } from './health.ts'
import type { HttpApp } from './http-app.ts'

test('A flood of requests for readyz writes once a second, and a failed write counts for that second only', async (t) => {
  const { url, drop } = await createMigratedDatabase('sqlite')
  t.after(drop)
  const { database, close } = openDatabase({ engine: 'sqlite', path: url.slice('sqlite:'.length) }, () => {})
  t.after(close)
  let now = 5_000
  t.mock.method(performance, 'now', () => now)
  let writeCount = 0
  const testWrite = async () => {
    writeCount += 1
    if (writeCount === 2) throw new Error('the disk is full')
  }
  const app = Fastify() as unknown as HttpApp
  registerHealthRoutes(app, database, testWrite, async () => {})
  const flood = async () => {
    const answers = []
    for (let count = 0; count < 10; count += 1) answers.push(await app.inject('/readyz'))
    return new Set(answers.map(({ statusCode }) => statusCode))
  }

  assert.deepEqual([await flood(), writeCount], [new Set([200]), 1])
  now += 1_000
  assert.deepEqual([await flood(), writeCount], [new Set([500]), 2])
  now += 1_000
  assert.deepEqual([await flood(), writeCount], [new Set([200]), 3])
})
