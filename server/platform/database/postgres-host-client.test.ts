import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
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

function withoutCircles() {
  const seen = new Set<unknown>()
  return (_key: string, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value
    if (seen.has(value)) return undefined
    seen.add(value)
    return value
  }
}
