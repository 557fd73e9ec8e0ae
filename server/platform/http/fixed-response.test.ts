import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import zlib from 'node:zlib'
import Fastify from 'fastify'
import { FixedResponse } from './fixed-response.ts'

test('A compression that fails returns a plain error, and is tried again by the next request', async (t) => {
  const compress = t.mock.method(
    zlib,
    'brotliCompress',
    (_content: Buffer, _options: object, done: (error: Error) => void) => done(new Error('out of memory')),
  )
  syncBuiltinESMExports()
  t.after(syncBuiltinESMExports)
  const answer = new FixedResponse('<p>Hello</p>', { 'content-type': 'text/html', 'cache-control': 'no-cache' })
  const app = Fastify().get('/', (request, reply) => answer.send(request, reply))
  const get = () => app.inject({ url: '/', headers: { 'accept-encoding': 'br' } })
  const failed = await get()
  assert.equal(failed.statusCode, 500)
  assert.deepEqual([failed.headers['content-encoding'], failed.headers.etag], [undefined, undefined])
  compress.mock.restore()
  syncBuiltinESMExports()
  const { statusCode, rawPayload } = await get()
  assert.equal(statusCode, 200)
  assert.equal(zlib.brotliDecompressSync(rawPayload).toString(), '<p>Hello</p>')
})
