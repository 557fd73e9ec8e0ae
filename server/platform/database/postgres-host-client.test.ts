import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { postgresForTests, query } from '../../../test/support/postgres.ts'
import { createTestDatabase } from '../../../test/support/test-database.ts'
import { HostClient } from './postgres-host-client.ts'

test('A client, which pg adds to logged errors, shows no password', () => {
  const url = 'postgres://accounts:hunter2@127.0.0.1:1/accounts'
  const client = new HostClient(url, {})
  assert.equal(client.url, url)
  for (const text of [
    inspect(client, { depth: 9, showHidden: false }),
    JSON.stringify({ ...client }, withoutCircles()),
  ])
    assert.doesNotMatch(text, /hunter2/)
})

test('A client that gets no further in the sign-in to the server closes its connection', async (t) => {
  const { url, drop } = await createTestDatabase('postgres')
  t.after(drop)
  const client = new HostClient(Object.assign(new URL(url), { password: '' }).href, {})
  client.on('error', () => {})
  await assert.rejects(client.connect(), /password/)
  assert.equal((client as unknown as { connection: { stream: Socket } }).connection.stream.destroyed, true)
})

test('A client connects to a database whose name has characters that a URL encodes', async (t) => {
  const admin = (await postgresForTests()).url('postgres')
  const name = `test_${randomBytes(8).toString('hex')} @/:?#%40 ü`
  await query(admin, `create database "${name}"`)
  t.after(() => query(admin, `drop database "${name}" with (force)`))
  const client = new HostClient(Object.assign(new URL(admin), { pathname: encodeURIComponent(name) }).href, {})
  client.on('error', () => {})
  try {
    await client.connect()
    assert.deepEqual((await client.query('select current_database() as name')).rows, [{ name }])
  } finally {
    client.destroy()
  }
})

function withoutCircles() {
  const seen = new Set<unknown>()
  return (_key: string, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value
    if (seen.has(value)) return undefined
    seen.add(value)
    return value
  }
}
