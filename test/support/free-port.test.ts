import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getFreePort } from './free-port.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

test('getFreePort chooses no port twice in a run, because the server of the first choice may not listen yet', async (t) => {
  const folder = createTemporaryFolder(t)
  const ports = new Set<number>()
  // Without the rule, 1,000 of 22,000 ports have 22 repetitions on average.
  for (let count = 1; count <= 1_000; count += 1) assert.equal(ports.add(await getFreePort(folder)).size, count)
})
