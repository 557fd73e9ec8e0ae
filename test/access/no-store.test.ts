import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../support/operations.ts'
import { startService } from '../support/service.ts'
import { owner } from '../support/users.ts'

test('No cache stores the answer of a route that recognises its caller, be it an error or not', async (t) => {
  const service = await startService({ engine: 'sqlite' })
  t.after(() => service.stop())
  const { client } = await owner(service)
  const answered = new Set<number>()
  for (const { path, method, description } of await operations(service)) {
    // Sign-in answers with the page, which is the same for everyone.
    if (method !== 'get' || description.startsWith('Access: public') || path === '/sign-in') continue
    const answer = await client.get(path)
    assert.equal(answer.headers.get('cache-control'), 'no-store', path)
    answered.add(answer.status)
  }
  assert.ok(answered.has(200) && answered.has(400))
})
