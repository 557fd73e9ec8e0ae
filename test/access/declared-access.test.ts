import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { enforceAccess } from '../../server/core/access/access.ts'
import { operations } from '../support/operations.ts'
import { onEachDatabase } from '../support/service.ts'

test('A route that does not declare who may call it stops the start', () => {
  const app = Fastify()
  const authorities = {
    isFresh: () => true,
    isInvited: () => false,
    organization: () => Promise.reject(new Error('none')),
  }
  enforceAccess(app, authorities)
  const declared = { access: 'anyone', rateLimit: 'none', impersonated: 'allowed' } as const
  app.get('/declared', { config: declared }, async () => 'fine')
  assert.throws(() => app.get('/bare', async () => 'open to all'), /GET \/bare does not declare/)
  for (const missing of ['access', 'rateLimit', 'impersonated']) {
    assert.throws(
      () => app.get(`/without-${missing}`, { config: { ...declared, [missing]: undefined } }, async () => ''),
      /does not declare/,
    )
  }
})

onEachDatabase('Whoever is not signed in', (service) => {
  test('is refused by every route that is not open to anyone, before its input is looked at', async () => {
    const closed = (await operations(service())).filter(({ isPublic }) => !isPublic)
    assert.ok(closed.length > 5)
    for (const { method, path } of closed) {
      const client = service().client()
      const answer = method === 'get' ? await client.get(path) : await client.post(path, { nonsense: true })
      assert.equal(answer.status, 401, `${method} ${path}`)
      assert.equal(answer.body.code, 'UNAUTHORIZED')
    }
  })

  test('is refused with a made-up, an empty or a damaged credential alike', async () => {
    for (const authorization of [
      'Bearer x',
      'Bearer ',
      'Bearer',
      'Basic YTpi',
      `Bearer ${'a'.repeat(43)}`,
      `Bearer ${'a'.repeat(5000)}`,
    ]) {
      const answer = await service().client().get('/api/token?org=example', { headers: { authorization } })
      assert.equal(answer.status, 401, authorization.slice(0, 20))
    }
  })
})
