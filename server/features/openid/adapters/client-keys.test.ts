import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { pino } from 'pino'
import { createGuardedFetch } from '../../../platform/http/guarded-fetch.ts'
import { createFetchClientKeys } from './client-keys.ts'

const KEY = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }

let now = 0
let headers: Record<string, string> = {}
let isBroken = false
let keys: object[] = [KEY]
let requestCount = 0
let warnings: { err: { message: string }; jwksUri: string }[] = []
const log = pino({}, { write: (line: string) => warnings.push(JSON.parse(line)) })
const server = createServer((_request, response) => {
  requestCount += 1
  response.writeHead(200, headers).end(isBroken ? 'no JSON' : JSON.stringify({ keys }))
})
describe('Keys of clients', () => {
  let url = ''
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => server.close().closeAllConnections())

  const open = () => createFetchClientKeys({ now: () => now, log }, createGuardedFetch({ baseUrl: 'http://localhost' }))

  test('Keys are fetched again after a minute, or earlier by cache-control, but not before five seconds', async () => {
    const lifetimes: [cacheControl: string, milliseconds: number][] = [
      ['', 60_000],
      ['max-age=3600', 60_000],
      ['public, max-age=30', 30_000],
      ['max-age=0', 5_000],
      ['no-store', 5_000],
      ['No-Cache, max-age=30', 5_000],
    ]
    for (const [cacheControl, milliseconds] of lifetimes) {
      headers = { 'cache-control': cacheControl }
      const fetchKeys = open()
      requestCount = 0
      for (const [elapsed, count] of [
        [0, 1],
        [milliseconds - 1, 1],
        [1, 2],
      ] as const) {
        now += elapsed
        assert.deepEqual(await fetchKeys(url), [KEY])
        assert.equal(requestCount, count, cacheControl)
      }
    }
    headers = {}
  })

  test('A jwks_uri that fails is requested once in five seconds, and its former keys are refused', async () => {
    const fetchKeys = open()
    await fetchKeys(url)
    requestCount = 0
    warnings = []
    isBroken = true
    now += 60_000
    for (const [elapsed, count] of [
      [0, 1],
      [4_999, 1],
      [1, 2],
    ] as const) {
      now += elapsed
      await Promise.all(Array.from({ length: 10 }, () => assert.rejects(fetchKeys(url), /JSON/)))
      assert.equal(requestCount, count)
      assert.equal(warnings.length, count)
    }
    for (const { err, jwksUri } of warnings) {
      assert.equal(jwksUri, url)
      assert.match(err.message, /JSON/)
    }
    isBroken = false
  })

  test('Fetched keys have only the members that verify a signature, without those in which a client may send anything', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const rsa = publicKey.export({ format: 'jwk' })
    const texts = { kid: 'first', alg: 'EdDSA', use: 'sig' }
    const pad = Array.from({ length: 10_000 }, () => ({}))
    keys = [
      { ...KEY, ...texts, key_ops: ['verify'], x5c: ['A'.repeat(20_000)], pad },
      { ...rsa, crv: [], x: {}, y: [1] },
      { ...KEY, kid: 'for another purpose', key_ops: ['deriveBits'] },
    ]
    assert.deepEqual(await open()(url), [{ ...KEY, ...texts }, rsa])
    keys = [KEY]
  })

  test('A set whose keys have more than 16 KiB is refused', async () => {
    keys = [{ ...KEY, kid: 'x'.repeat(16_000) }]
    assert.equal((await open()(url)).length, 1)
    keys = [{ ...KEY, kid: 'x'.repeat(16_400) }]
    await assert.rejects(open()(url), /more than 16 KiB/)
    keys = [KEY]
  })

  test('The fetched keys of at most a thousand addresses are in memory', async () => {
    const fetchKeys = open()
    await fetchKeys(url)
    for (let index = 0; index < 1_000; index += 1) await assert.rejects(fetchKeys(`http://10.0.0.1/${index}`), /https/)
    requestCount = 0
    await fetchKeys(url)
    assert.equal(requestCount, 1)
  })
})
