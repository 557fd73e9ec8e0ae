import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { numbers } from '../population.ts'
import { closedLoads } from './closed-load.ts'
import { Load } from './load.ts'
import type { PlannedRequest } from './plan.ts'

/** A server in this process, which stores the path of each request. */
async function startServer(t: TestContext, onFirst?: () => void) {
  const paths: string[] = []
  const server = createServer(({ url = '' }, response) => {
    paths.push(url)
    if (paths.length === 1) onFirst?.()
    response.end('done')
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  return { paths, port: (server.address() as AddressInfo).port }
}

function requestOf(path: string): PlannedRequest {
  return { bytes: `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`, expectedStatus: 200, expectedText: 'done' }
}

test('Repeated loads send every request once before they begin again', async (t) => {
  const { paths, port } = await startServer(t)
  const bench = {
    workplace: { folder: '', owns: <T>(child: T) => child },
    pace: { rounds: 2, warmUpAnswers: 0, warmUpMilliseconds: 50, durationMilliseconds: 100 },
    progress: () => {},
  }
  const requests = numbers(50_000).map((number) => requestOf(`/${number}`))
  const run = closedLoads(bench, 'paths', { name: 'the server', port, processId: process.pid }, requests, 4)
  const { sent } = await run()
  const countOfFirst = paths.length
  await run()
  assert.ok(countOfFirst > 0 && countOfFirst <= sent, `${countOfFirst} of ${sent}`)
  assert.ok(countOfFirst < paths.length && paths.length <= requests.length)
  assert.equal(new Set(paths).size, paths.length)
})

test('The latency at a constant rate counts from the due time, also when the generator was busy', async (t) => {
  const { port } = await startServer(t, () => {
    const end = performance.now() + 500
    while (performance.now() < end);
  })
  const load = new Load({
    port,
    requests: [requestOf('/')],
    connections: 100,
    requestsPerSecond: 100,
    warmUpMilliseconds: 0,
    durationMilliseconds: 600,
  })
  const { latencyMilliseconds } = await load.run()
  assert.ok(latencyMilliseconds.p50 >= 100, `${latencyMilliseconds.p50} ms`)
})
