import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { Type } from 'typebox'
import { compileAtFirstUse } from './compile-at-first-use.ts'

/** Neither compiler accepts it. */
const Broken = Type.Unsafe({ type: 'unknown' })

test('A schema is compiled at its first use, so that a start waits for none', async () => {
  const app = Fastify()
  compileAtFirstUse(app)
  app.get('/fine', async () => 'fine')
  app.get('/broken-question', { schema: { querystring: Broken } }, async () => 'fine')
  app.get('/broken-answer', { schema: { response: { 200: Broken } } }, async () => ({}))
  await app.ready()
  assert.equal((await app.inject('/fine')).statusCode, 200)
  for (const url of ['/broken-question', '/broken-answer']) assert.equal((await app.inject(url)).statusCode, 500, url)
})

test('Each part of a request and its answer keep to their schemas, at the first request and later', async () => {
  const app = Fastify()
  compileAtFirstUse(app)
  const schema = {
    querystring: Type.Object({ count: Type.String({ pattern: '^[0-9]+$' }) }),
    body: Type.Object({ name: Type.String({ format: 'name' }) }),
    response: { 200: Type.Object({ greeting: Type.String() }) },
  }
  app.post('/greet', { schema }, async () => ({ greeting: 'hello', secret: 'not in the schema' }))
  for (const _time of ['first', 'later']) {
    const answer = async (count: string, name: unknown) => {
      const { statusCode, json } = await app.inject({ method: 'POST', url: '/greet', query: { count }, body: { name } })
      return [statusCode, json().message ?? json()]
    }
    assert.deepEqual(await answer('1', 'Ann'), [200, { greeting: 'hello' }])
    assert.deepEqual(await answer('one', 'Ann'), [400, 'querystring/count must match pattern "^[0-9]+$"'])
    assert.deepEqual(await answer('1', 1), [400, 'body/name must be string'])
    assert.deepEqual(await answer('1', ''), [400, 'body/name must match format "name"'])
  }
})
