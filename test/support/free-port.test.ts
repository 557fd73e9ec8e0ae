import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { getFreePort, getFreePortPair } from './free-port.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

test('getFreePort chooses no port twice in a run, because the server of the first choice may not listen yet', async (t) => {
  const folder = createTemporaryFolder(t)
  const ports = new Set<number>()
  // Without the rule, 1,000 of 22,000 ports have 22 repetitions on average.
  for (let count = 1; count <= 1_000; count += 1) assert.equal(ports.add(await getFreePort(folder)).size, count)
})

test('getFreePortPair chooses both ports, and none that the run has chosen before', async (t) => {
  const folder = createTemporaryFolder(t)
  const ports: number[] = []
  for (let count = 1; count <= 500; count += 1) {
    const port = await getFreePortPair(folder)
    ports.push(port, port + 1)
  }
  assert.equal(new Set(ports).size, ports.length)
  const claimed = await readdir(folder)
  assert.ok(ports.every((port) => claimed.includes(String(port))))
})
