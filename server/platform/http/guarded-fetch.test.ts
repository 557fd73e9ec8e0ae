import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createEncryptedServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, describe, test } from 'node:test'
import { CERTIFICATE, CERTIFICATE_KEY } from '../../../test/support/certificate.ts'
import { until } from '../../../test/support/until.ts'
import { createGuardedFetch } from './guarded-fetch.ts'

const LOCAL = { baseUrl: 'http://localhost:3000' }
const PUBLIC = { baseUrl: 'https://accounts.example.com' }
const KIBIBYTE = Buffer.alloc(1024)

describe('guarded fetch', { concurrency: false }, () => {
  let port: number
  let connectionCount = 0
  let respond: (request: IncomingMessage, response: ServerResponse) => void
  const server = createServer((request, response) => respond(request, response)).on('connection', () => {
    connectionCount += 1
  })
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    port = (server.address() as AddressInfo).port
  })
  beforeEach(() => {
    connectionCount = 0
    respond = (_request, response) => response.end('fine')
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  for (const [config, url, reason] of [
    [PUBLIC, 'http://127.0.0.1:PORT/', /https/],
    [PUBLIC, 'https://127.0.0.1:PORT/', /public Internet/],
    [PUBLIC, 'https://2130706433:PORT/', /public Internet/],
    [PUBLIC, 'https://[::1]:PORT/', /public Internet/],
    [PUBLIC, 'https://[::ffff:127.0.0.1]:PORT/', /public Internet/],
    [PUBLIC, 'https://localhost:PORT/', /public Internet/],
    [PUBLIC, 'https://localhost.:PORT/', /public Internet/],
    [PUBLIC, 'https://rebinding.example.com:PORT/', /public Internet/],
    [PUBLIC, 'https://no-address.example.com:PORT/', /no address/],
    [PUBLIC, 'http://rebinding.example.com:PORT/', /https/],
    [LOCAL, 'http://rebinding.example.com:PORT/', /https/],
    [LOCAL, 'https://rebinding.example.com:PORT/', /public Internet/],
    [LOCAL, 'https://10.0.0.1/', /public Internet/],
    [LOCAL, 'http://169.254.169.254/latest/meta-data', /https/],
    [LOCAL, 'https://169.254.169.254/latest/meta-data', /public Internet/],
    [LOCAL, 'http://ada:secret@localhost:PORT/', /credentials/],
    [LOCAL, 'file:///etc/passwd', /https/],
  ] as const) {
    test(`Guarded fetch with BASE_URL ${config.baseUrl} refuses ${url} without a connection`, async () => {
      const resolveHost = async (hostname: string) =>
        hostname === 'no-address.example.com' ? [] : ['93.184.216.34', '127.0.0.1']
      const fetch = createGuardedFetch(config, { resolveHost })
      await assert.rejects(fetch(url.replace('PORT', String(port))), reason)
      assert.equal(connectionCount, 0)
    })
  }

  for (const host of ['127.0.0.1', 'localhost', 'app.localhost'])
    test(`Guarded fetch reaches ${host} by http while BASE_URL is on loopback`, async () => {
      const resolveHost = () => assert.fail('names of loopback need no look-up')
      const response = await createGuardedFetch(LOCAL, { resolveHost })(`http://${host}:${port}/`)
      assert.deepEqual([response.status, await response.text()], [200, 'fine'])
    })

  test('Guarded fetch sends the form and no more about the service than its name', async () => {
    let received: [string | undefined, string, IncomingMessage['headers']] | undefined
    respond = async (request, response) => {
      received = [request.method, await text(request), request.headers]
      response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] }).end('{"a":1}')
    }
    const body = new URLSearchParams({ name: 'Ada Admin' })
    const response = await createGuardedFetch(LOCAL)(`http://localhost:${port}/x?y=z`, { method: 'POST', body })
    assert.deepEqual(await response.json(), { a: 1 })
    assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2'])
    assert.deepEqual(received, [
      'POST',
      'name=Ada+Admin',
      {
        host: `localhost:${port}`,
        connection: 'close',
        'content-length': '14',
        'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
        'user-agent': 'Accounts',
      },
    ])
  })

  test('Guarded fetch returns a redirect and does not follow it', async () => {
    respond = (_request, response) => response.writeHead(302, { location: `http://localhost:${port}/inside` }).end()
    const response = await createGuardedFetch(LOCAL)(`http://localhost:${port}/`)
    assert.deepEqual([response.status, connectionCount], [302, 1])
  })

  test('Guarded fetch accepts a response without a body', async () => {
    respond = (_request, response) => response.writeHead(204).end()
    const response = await createGuardedFetch(LOCAL)(`http://localhost:${port}/`)
    assert.deepEqual([response.status, response.body], [204, null])
  })

  test('Guarded fetch refuses a switch to another protocol', { timeout: 60_000 }, async () => {
    respond = (_request, { socket }) =>
      socket?.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n')
    await assert.rejects(createGuardedFetch(LOCAL)(`http://localhost:${port}/`), /ended without a response/)
  })

  test('Guarded fetch reads at most 64 KiB of a body that never ends', async () => {
    let sentBytes = 0
    respond = (_request, response) => {
      const send = () => {
        while (!response.destroyed && response.write(KIBIBYTE)) sentBytes += KIBIBYTE.length
      }
      response.on('drain', send)
      send()
    }
    const fetch = createGuardedFetch(LOCAL)
    const response = await fetch(`http://localhost:${port}/`)
    await assert.rejects(response.text(), /longer than 64 KiB/)
    const cancelled = await fetch(`http://localhost:${port}/`)
    await cancelled.body?.cancel()
    await until(async () => (await countConnections()) === 0, 'the connection is closed')
    assert.ok(sentBytes < 50 * 1024 * KIBIBYTE.length, `${sentBytes} bytes left the server`)
  })

  test('Guarded fetch returns a body of 64 KiB, and refuses one more byte', async () => {
    let length = 64 * 1024
    respond = (_request, response) => response.end(Buffer.alloc(length))
    const read = async () => (await createGuardedFetch(LOCAL)(`http://localhost:${port}/`)).arrayBuffer()
    assert.equal((await read()).byteLength, length)
    length += 1
    await assert.rejects(read(), /longer than 64 KiB/)
  })

  const silences: [string, typeof respond][] = [
    ['no headers', () => {}],
    ['a part of the body', (_request, response) => response.writeHead(200).write('a part')],
  ]
  for (const [sent, silence] of silences)
    test(`Guarded fetch ends at its deadline when the server sends ${sent}`, async () => {
      respond = silence
      const fetch = createGuardedFetch(LOCAL, { deadlineMilliseconds: 100 })
      await assert.rejects(
        fetch(`http://localhost:${port}/`).then((response) => response.text()),
        /aborted/,
      )
      await until(async () => (await countConnections()) === 0, 'the connection is closed')
    })

  test('Guarded fetch ends at its deadline when the name server does not answer', async () => {
    const resolveHost = () => new Promise<string[]>(() => {})
    const fetch = createGuardedFetch(PUBLIC, { resolveHost, deadlineMilliseconds: 50 })
    await assert.rejects(fetch('https://app.example.com/'), /aborted/)
  })

  test('Guarded fetch refuses a server whose certificate is not trusted', async (t) => {
    const encrypted = createEncryptedServer({ key: CERTIFICATE_KEY, cert: CERTIFICATE }, () => assert.fail('a request'))
    await once(encrypted.listen(0, '127.0.0.1'), 'listening')
    t.after(() => encrypted.close())
    const url = `https://localhost:${(encrypted.address() as AddressInfo).port}/`
    await assert.rejects(createGuardedFetch(LOCAL)(url), /self-signed certificate/)
  })

  test('Guarded fetch ends with the signal of its caller', async () => {
    const reason = new Error('the client has left')
    respond = () => controller.abort(reason)
    const controller = new AbortController()
    await assert.rejects(
      createGuardedFetch(LOCAL)(`http://localhost:${port}/`, { signal: controller.signal }),
      // The error of the deadline has another cause.
      ({ cause }: Error) => cause === reason,
    )
  })

  const countConnections = () =>
    new Promise<number>((resolve, reject) =>
      server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    )
})
