import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { HostClient } from './postgres-host-client.ts'
import { PostgresHosts } from './postgres-hosts.ts'

test('The first search waits for the promoted host, although the former primary answers earlier', async (t) => {
  const promoted = Promise.withResolvers<number>()
  t.mock.method(HostClient.prototype, 'connect', async () => {})
  t.mock.method(HostClient.prototype, 'end', async () => {})
  t.mock.method(HostClient.prototype, 'readTimeline', async function (this: HostClient) {
    return this.hostAndPort === 'former:5432' ? 1 : promoted.promise
  })
  const hosts = new PostgresHosts('postgres://ada@former:5432,promoted:5432/accounts')
  let isFound = false
  const search = hosts.searchPrimary().then(() => {
    isFound = true
  })
  await endOfTurn()
  assert.equal(isFound, false)
  promoted.resolve(2)
  await search
  assert.match(hosts.currentUrl, /@promoted:5432/)
})
