import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routeOf } from '../../bench/scale/call.ts'
import { ALL_CALLS, LEFT_OUT } from '../../bench/scale/calls/all-calls.ts'
import { startService } from '../support/service.ts'

test('The scale benchmark measures every route, or says why it does not', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const routes = service.routes
    .filter(({ method }) => method === 'GET' || method === 'POST')
    .map(({ method, url }) => `${method} ${url}`)
  const known = [...Object.keys(ALL_CALLS).map(routeOf), ...Object.keys(LEFT_OUT)]
  assert.deepEqual([...new Set(known)].sort(), [...new Set(routes)].sort())
})
