import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { RawConnection } from '../../../test/support/raw-connection.ts'
import { startService } from '../../../test/support/service.ts'
import { until } from '../../../test/support/until.ts'
import { createHttpServer, TIMEOUTS } from './http-server.ts'
import { createSocketRefusals } from './refuse-socket.ts'

const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'
const LARGE = Buffer.alloc(20_000_000, 'x')
const silent = pino({ level: 'silent' })

/** A server whose responses the test sends. */
async function startServer(t: TestContext, timeouts = TIMEOUTS) {
  const pending: { url: string; body: Promise<string>; response: ServerResponse }[] = []
  const counts = { received: 0 }
  const server = createHttpServer(
    (request, response) => {
      counts.received += 1
      pending.push({ url: request.url ?? '', body: text(request).catch(() => 'aborted'), response })
    },
    createSocketRefusals({}, silent),
    timeouts,
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  /** Resolves after this many requests. */
  const received = async (count: number) => {
    while (counts.received < count) {
      t.signal.throwIfAborted()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const answerNext = () => {
    const { response, url } = pending.shift()!
    response.setHeader('content-length', url.length)
    response.end(url)
  }
  const stop = () => {
    const timer = setInterval(() => server.closeIdleConnections(), 10)
    return once(server.close(), 'close').finally(() => clearInterval(timer))
  }
  return { open: () => RawConnection.open(port), pending, counts, received, answerNext, server, stop }
}

test('The HTTP server handles at most 8 requests of a connection concurrently, and responds in order', async (t) => {
  const { open, pending, counts, received, answerNext } = await startServer(t)
  const connection = await open()
  const urls = Array.from({ length: 500 }, (_, index) => `/${index}`)
  connection.send(urls.map((url) => `GET ${url} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''))
  const answers = connection.read(urls.length)
  for (let answered = 0; answered < urls.length; answered += 1) {
    await received(Math.min(answered + 8, urls.length))
    await new Promise((resolve) => setImmediate(resolve))
    assert.ok(pending.length <= 8, `${pending.length} at work`)
    answerNext()
  }
  assert.equal(counts.received, urls.length)
  assert.deepEqual(
    (await answers).map(({ body }) => body),
    urls,
  )
})

test('The HTTP server bounds pipelined requests with bodies, for any split of the packets', async (t) => {
  const { open, pending, received, answerNext } = await startServer(t)
  const bytes = Array.from({ length: 40 }, (_, index) => {
    const body = index % 3 === 0 ? 'x'.repeat(index * 50) : `a\r\n\r\nb${index}`
    return `POST /${index} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  }).join('')
  for (const size of [bytes.length, 7, 61, 1000]) {
    const connection = await open()
    const answers = connection.read(40)
    for (let position = 0; position < bytes.length; position += size) {
      connection.send(bytes.slice(position, position + size))
      if (size > 50) await new Promise((resolve) => setImmediate(resolve))
    }
    for (let answered = 0; answered < 40; answered += 1) {
      while (pending.length === 0) await received(0).then(() => new Promise((resolve) => setImmediate(resolve)))
      assert.ok(pending.length <= 8)
      await pending[0]!.body
      answerNext()
    }
    assert.deepEqual(
      (await answers).map(({ body }) => body),
      Array.from({ length: 40 }, (_, index) => `/${index}`),
    )
    connection.socket.destroy()
  }
})

test('The HTTP server goes on after Node has paused a connection whose waiting request has a body', async (t) => {
  const { open, pending, received } = await startServer(t)
  const connection = await open()
  const urls = Array.from({ length: 11 }, (_, index) => `/${index + 1}`)
  const hasBody = (url: string) => url === '/8' || url === '/9'
  const post = (url: string) => `POST ${url} HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nbody`
  connection.send(urls.map((url) => (hasBody(url) ? post(url) : GET.replace('/', url))).join(''))
  const answers = connection.read(urls.length)
  // The end of this body arrives with the head of the next request, which waits.
  await received(8)
  await pending[7]!.body
  const answer = (url: string, body = url) => pending.find((request) => request.url === url)!.response.end(body)
  // This response waits for an earlier one, and is so large that Node pauses the connection at the next request.
  const large = 'x'.repeat(1_000_000)
  answer('/5', large)
  for (const url of ['/3', '/2', '/1']) answer(url)
  await received(10)
  // In this turn of the event loop, the connection was resumed although Node had paused it.
  await new Promise((resolve) => setImmediate(resolve))
  for (const url of ['/4', '/6', '/7', '/8', '/9', '/10']) answer(url)
  await received(11)
  answer('/11')
  assert.deepEqual(
    (await answers).map(({ body }) => body),
    urls.map((url) => (url === '/5' ? large : url)),
  )
})

test('The HTTP server remembers the address of a client that has disconnected', async (t) => {
  const { open, pending, received } = await startServer(t)
  const { socket } = (await open()).send(GET)
  await received(1)
  socket.resetAndDestroy()
  const { response } = pending.shift()!
  await once(response, 'close')
  assert.equal(response.req.socket.remoteAddress, '127.0.0.1')
})

test('The HTTP server closes the connection of a client that does not read', async (t) => {
  const { open, pending, received } = await startServer(t, { ...TIMEOUTS, unreadMilliseconds: 200 })
  const connection = await open()
  connection.socket.pause()
  connection.send(GET)
  await received(1)
  const { response } = pending.shift()!
  response.end(LARGE)
  await once(response, 'close')
  assert.equal(response.writableFinished, false)
})

test('The HTTP server sends the whole response to a slow client', async (t) => {
  // The kernel buffers several MB, so the server may see no progress for a second.
  const { open, pending, received } = await startServer(t, { ...TIMEOUTS, unreadMilliseconds: 3_000 })
  const { socket } = (await open()).send(GET)
  await received(1)
  const { response } = pending.shift()!
  response.end(LARGE)
  const startedAt = performance.now()
  let length = 0
  socket.on('data', (bytes: Buffer) => {
    length += bytes.length
    socket.pause()
    setTimeout(() => socket.resume(), (bytes.length / LARGE.length) * 5_000)
  })
  await once(response, 'close')
  assert.equal(response.writableFinished, true)
  await until(() => length >= LARGE.length, 'the client has the whole response')
  assert.ok(performance.now() - startedAt > 3_000, 'the client takes longer than the limit')
})

test('The HTTP server closes connections at a stop as soon as their response is sent', async (t) => {
  const { open, pending, received, stop } = await startServer(t)
  const [slow, fresh] = [await open(), await open()]
  slow.socket.pause()
  slow.send(GET)
  await received(1)
  pending.shift()!.response.end(LARGE)
  const stopped = stop()
  fresh.socket.resume()
  await fresh.closed
  let length = 0
  slow.socket.on('data', (bytes: Buffer) => {
    length += bytes.length
  })
  slow.socket.resume()
  await slow.closed
  assert.ok(length > LARGE.length, `${length} bytes`)
  await stopped
})

test('The HTTP server answers a request whose head is incomplete when a stop begins', {
  timeout: 20_000,
}, async (t) => {
  const { open, received, server, answerNext, stop } = await startServer(t)
  const [[serverSocket], connection] = await Promise.all([once(server, 'connection'), open()])
  connection.send(GET.slice(0, 9))
  while (serverSocket.bytesRead === 0) await new Promise((resolve) => setImmediate(resolve))
  const stopped = stop()
  connection.send(GET.slice(9))
  await received(1)
  answerNext()
  assert.equal((await connection.read())[0]?.body, '/')
  await stopped
})

test('At a stop, the HTTP server takes no connection for idle whose requests it has not read completely', async (t) => {
  const { open, pending, received, server, answerNext } = await startServer(t, {
    ...TIMEOUTS,
    idleAtStopMilliseconds: 0,
  })
  const [[bodySocket], inBody] = await Promise.all([once(server, 'connection'), open()])
  inBody.send('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nbo')
  await received(1)
  const { body } = pending[0]!
  answerNext()
  await inBody.read()
  server.closeIdleConnections()
  assert.equal(bodySocket.destroyed, false)
  inBody.send('dy')
  assert.equal(await body, 'body')
  server.closeIdleConnections()
  assert.equal(bodySocket.destroyed, true)

  const [[heldSocket]] = await Promise.all([once(server, 'connection'), open()])
  heldSocket.pause()
  server.closeIdleConnections()
  assert.equal(heldSocket.destroyed, false)

  const [[pausedSocket], paused] = await Promise.all([once(server, 'connection'), open()])
  const answers = paused.send(GET.repeat(9)).read(9)
  await received(9)
  const eighth = pending[7]!.response
  for (let count = 0; count < 8; count += 1) answerNext()
  await once(eighth, 'close')
  server.closeIdleConnections()
  assert.equal(pausedSocket.destroyed, false)
  await received(10)
  answerNext()
  assert.equal((await answers).length, 9)
})

test('At a stop, the HTTP server waits for a request on each connection that was opened or used just before', {
  timeout: 20_000,
}, async (t) => {
  const timeouts = { ...TIMEOUTS, idleAtStopMilliseconds: 3_600_000 }
  const { open, received, server, answerNext } = await startServer(t, timeouts)
  const [, connection] = await Promise.all([once(server, 'connection'), open()])
  for (const count of [1, 2]) {
    server.closeIdleConnections()
    const answers = connection.send(GET).read(count)
    await received(count)
    answerNext()
    assert.equal((await answers).length, count)
  }
})

for (const address of ['127.0.0.1', '::1'])
  test(`A stop answers the requests of clients that have connected to ${address} before it`, async () => {
    const service = await startService({ engine: 'sqlite', timeouts: TIMEOUTS })
    const request = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'
    const answers = Array.from({ length: 50 }, () => {
      const socket = connect(service.config.port, address)
      socket.write(request)
      return text(socket).then(
        (answer) => answer.slice(0, 12),
        ({ code }) => code,
      )
    })
    // The service accepts the first of these connections in the next turn of the event loop.
    await Promise.resolve()
    await service.stop()
    assert.deepEqual(await Promise.all(answers), Array(50).fill('HTTP/1.1 200'))
  })

test('At a stop, the HTTP server gives a refused client time to read the refusal', async (t) => {
  const { open, server } = await startServer(t)
  const [[serverSocket], connection] = await Promise.all([once(server, 'connection'), open()])
  const [refusal] = await connection.send('nonsense\r\n\r\n').read()
  assert.equal(refusal?.status, 400)
  server.closeIdleConnections()
  assert.equal(serverSocket.destroyed, false)
})

test('The HTTP server refuses malformed requests with a code, after the responses to earlier requests', async (t) => {
  const { open, received, answerNext } = await startServer(t)
  for (const [bytes, status, code] of [
    ['nonsense\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    ['FOO / HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    ['GET / HTTP/1.1\nhost: x\n\n', 400, 'MALFORMED_REQUEST'],
    ['GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    ['POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    ['POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n', 400, 'MALFORMED_REQUEST'],
    [`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431, 'REQUEST_HEADERS_TOO_LARGE'],
    [`GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'REQUEST_HEADERS_TOO_LARGE'],
    ['CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n', 404, 'NOT_FOUND'],
  ] as const) {
    const alone = await open()
    const [refusal] = await alone.send(bytes).read()
    assert.deepEqual([refusal?.status, JSON.parse(refusal?.body ?? '').code], [status, code], bytes.slice(0, 60))
    assert.match(String(refusal?.headers['x-request-id']), /^[\da-f-]{36}$/)
    alone.socket.destroy()
  }
  const pipelined = await open()
  const answers = pipelined
    .send(`GET /1 HTTP/1.1\r\nhost: x\r\n\r\nGET /2 HTTP/1.1\r\nhost: x\r\n\r\nnonsense\r\n\r\n`)
    .read(3)
  await received(2)
  answerNext()
  answerNext()
  assert.deepEqual(
    (await answers).map(({ status }) => status),
    [200, 200, 400],
  )
})

test('The HTTP server refuses a request whose body is malformed or incomplete', async (t) => {
  const head = 'POST / HTTP/1.1\r\nhost: x\r\n'
  // On a busy machine, 240 ms might end before the second part of the body.
  const patient = await startServer(t)
  const garbage = await patient.open()
  garbage.send(`${head}transfer-encoding: chunked\r\n\r\n`)
  await patient.received(1)
  garbage.send('nonsense\r\n')
  assert.equal((await garbage.read())[0]?.status, 400)
  const { open } = await startServer(t, { ...TIMEOUTS, requestMilliseconds: 240 })
  const slow = await open()
  slow.send(`${head}content-length: 10\r\n\r\nhalf`)
  assert.equal((await slow.read())[0]?.status, 408)
  const slowHead = await open()
  slowHead.send('GET / HTT')
  assert.equal((await slowHead.read())[0]?.status, 408)
})

test('The HTTP server closes a connection without a request: a new one after 408, and a used one after its limit', async (t) => {
  const { open } = await startServer(t, { ...TIMEOUTS, requestMilliseconds: 240 })
  const [refusal] = await (await open()).read()
  assert.equal(refusal?.status, 408)
  const { open: openIdle, received, answerNext } = await startServer(t, { ...TIMEOUTS, idleMilliseconds: 100 })
  const idle = (await openIdle()).send(GET)
  await received(1)
  answerNext()
  assert.equal((await idle.read())[0]?.body, '/')
  await until(() => idle.socket.closed, 'the idle connection is closed')
})

test('The HTTP server ignores unknown expectations and protocol upgrades', async (t) => {
  const { open, received, answerNext } = await startServer(t)
  for (const [index, header] of [
    'expect: 200-ok',
    'expect: 100-continue',
    'connection: upgrade\r\nupgrade: h2c',
  ].entries()) {
    const connection = await open()
    connection.send(`GET / HTTP/1.1\r\nhost: x\r\n${header}\r\n\r\n`)
    await received(index + 1)
    answerNext()
    assert.equal((await connection.read(index === 1 ? 2 : 1)).at(-1)?.status, 200, header)
    connection.socket.destroy()
  }
})

test('The HTTP server closes the connection after a request that asks for another protocol', async (t) => {
  const { open, received, answerNext } = await startServer(t)
  const upgrade = 'connection: upgrade\r\nupgrade: h2c'
  const connection = await open()
  connection.send(`POST / HTTP/1.1\r\nhost: x\r\n${upgrade}\r\ncontent-length: 5\r\n\r\nhello${GET}`)
  await received(1)
  answerNext()
  const [answer, ...others] = await connection.read(2)
  assert.deepEqual([answer?.status, answer?.headers.connection, others], [200, 'close', []])
  await connection.closed
})

test('The HTTP server releases the connections of clients that disconnect at any moment', async (t) => {
  const { open, received, counts } = await startServer(t)
  const pieces = [GET.repeat(20), 'GET / HT', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nabc', 'nonsense']
  for (const piece of pieces) {
    for (const leave of ['end', 'destroy', 'resetAndDestroy'] as const) {
      const { socket } = await open()
      socket.write(piece)
      socket.resume()
      await new Promise((resolve) => setTimeout(resolve, 5))
      socket[leave]()
    }
  }
  const before = counts.received
  ;(await open()).send(GET)
  await received(before + 1)
})
