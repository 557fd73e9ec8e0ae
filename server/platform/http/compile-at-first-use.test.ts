import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { Type } from 'typebox'
import { compileAtFirstUse } from './compile-at-first-use.ts'

/** Ajv refuses it, when it compiles the schema. */
const UnknownFormat = Type.Object({ format: Type.String({ format: 'unknown' }) })

test('A schema is compiled at its first use, so that a start waits for none', async () => {
  const app = Fastify()
  compileAtFirstUse(app)
  app.get('/unused', { schema: { querystring: UnknownFormat } }, async () => 'fine')
  app.get('/used', async () => 'fine')
  await app.ready()
  assert.equal((await app.inject('/used')).statusCode, 200)
  assert.equal((await app.inject('/unused?format=x')).statusCode, 500)
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
