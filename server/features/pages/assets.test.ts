import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { get, type IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type Service, startService } from '../../../test/support/service.ts'

const DIST = new URL('../../../web/dist', import.meta.url)

interface Received {
  status: number
  headers: IncomingHttpHeaders
  content: Buffer
}

describe('Compressed assets', () => {
  let service: Service
  before(async () => {
    service = await startService({ engine: 'sqlite' })
  })
  after(() => service.stop())

  /** Uses Node's HTTP client, because fetch decompresses the response. */
  const receive = (path: string, headers: Record<string, string>, method = 'GET'): Promise<Received> =>
    new Promise((resolve, reject) => {
      get(service.baseUrl + path, { headers, method }, async (response) => {
        const content = await buffer(response)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, content })
      }).on('error', reject)
    })
  const listAssets = async () => {
    const { content } = await receive('/sign-in', {})
    return [...content.toString().matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
  }

  test('The assets of a page are sent as the build has compressed them, and have one ETag in all encodings', async () => {
    const paths = await listAssets()
    assert.ok(paths.some((path) => path.endsWith('.js')) && paths.some((path) => path.endsWith('.css')))
    for (const path of paths) {
      const file = readFileSync(`${DIST.pathname}${path}`)
      const plain = await receive(path, {})
      assert.deepEqual([plain.content.equals(file), plain.headers['content-encoding']], [true, undefined])
      for (const [accepted, encoding, suffix, decompress] of [
        ['gzip, deflate, br, zstd', 'br', '.br', brotliDecompressSync],
        ['gzip, br;q=0', 'gzip', '.gz', gunzipSync],
      ] as const) {
        const { headers, content } = await receive(path, { 'accept-encoding': accepted })
        assert.deepEqual([headers['content-encoding'], headers.etag], [encoding, plain.headers.etag], path)
        assert.match(headers.vary ?? '', /accept-encoding/i)
        assert.ok(content.equals(readFileSync(`${DIST.pathname}${path}${suffix}`)), 'the bytes of the build')
        assert.ok(decompress(content).equals(file))
        const head = await receive(path, { 'accept-encoding': accepted }, 'HEAD')
        assert.deepEqual([head.status, head.headers['content-length']], [200, String(content.length)])
        const again = await receive(path, { 'accept-encoding': accepted, 'if-none-match': headers.etag ?? '' })
        assert.deepEqual([again.status, again.content.length], [304, 0])
      }
      assert.equal((await receive(`${path}.br`, {})).status, 404, 'the compressed file is no asset of its own')
    }
  })

  test('A fixed response has the encoding that the client accepts, and the same content in each encoding', async () => {
    for (const path of ['/sign-in', '/api/auth/openapi.json']) {
      const plain = await receive(path, {})
      assert.equal(plain.headers['content-encoding'], undefined)
      for (const [accepted, encoding] of [
        ['br, gzip', 'br'],
        ['gzip, br;q=0', 'gzip'],
        ['GZIP', 'gzip'],
        ['gzip;q=0.1, identity;q=0', 'gzip'],
        ['br;q=0, gzip;q=0', undefined],
        ['identity, br;q=nonsense', undefined],
        ['identity;q=0', undefined],
        ['deflate, zstd', undefined],
        ['', undefined],
      ] as const) {
        const { status, headers, content } = await receive(path, { 'accept-encoding': accepted })
        assert.deepEqual(
          [status, headers['content-encoding'], headers.etag],
          [200, encoding, plain.headers.etag],
          accepted,
        )
        assert.match(headers.vary ?? '', /accept-encoding/i)
        const decompress = { br: brotliDecompressSync, gzip: gunzipSync }
        assert.ok((encoding ? decompress[encoding](content) : content).equals(plain.content), `${path}: ${accepted}`)
      }
    }
  })

  test('The document of a page and the OpenAPI document are compressed, and other JSON is not (BREACH)', async () => {
    const encodingOf = async (path: string) =>
      (await receive(path, { 'accept-encoding': 'br' })).headers['content-encoding']
    assert.deepEqual(await Promise.all(['/sign-in', '/api/auth/openapi.json'].map(encodingOf)), ['br', 'br'])
    for (const path of ['/api/auth/get-session', '/api/auth/list-sessions', '/api/auth/jwks', '/api/settings'])
      assert.equal(await encodingOf(path), undefined, path)
  })
})
