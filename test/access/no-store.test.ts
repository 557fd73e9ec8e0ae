import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../support/operations.ts'
import { startService } from '../support/service.ts'
import { administratorWithOrganization } from '../support/users.ts'

test('Every GET route that authenticates its caller sends "Cache-Control: no-store", also with an error', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { client } = await administratorWithOrganization(service)
  const statuses = new Set<number>()
  for (const { path, method, description } of await operations(service)) {
    // /sign-in returns the page, which does not depend on the caller.
    if (method !== 'get' || description.startsWith('Access: no credentials') || path === '/sign-in') continue
    const answer = await client.get(path)
    assert.equal(answer.headers.get('cache-control'), 'no-store', path)
    statuses.add(answer.status)
  }
  assert.ok(statuses.has(200) && statuses.has(400))
})

test('Health checks send "Cache-Control: no-store"', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  for (const path of ['/healthz', '/readyz', '/api/auth/ok'])
    assert.equal((await service.client().get(path)).headers.get('cache-control'), 'no-store', path)
})
