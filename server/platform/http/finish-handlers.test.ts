import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { holdRequest } from '../../../test/support/held-request.ts'
import { startService } from '../../../test/support/service.ts'
import { finishHandlers } from './finish-handlers.ts'
import { TIMEOUTS } from './http-server.ts'

/** Starts a request whose handler runs until `released`, and closes its connection. */
async function leaveRequest(app: FastifyInstance, released: Promise<void>): Promise<void> {
  const started = Promise.withResolvers<void>()
  app.get('/slow', async () => {
    started.resolve()
    await released
    return 'fine'
  })
  await app.listen({ port: 0 })
  const socket = connect((app.server.address() as AddressInfo).port)
  socket.write('GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await started.promise
  socket.destroy()
  await once(socket, 'close')
}

test('A close waits for a handler whose client has disconnected, also when the handler fails', async () => {
  for (const error of [undefined, new Error('refused')]) {
    const app = Fastify()
    finishHandlers(app, Number.POSITIVE_INFINITY)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    await leaveRequest(app, promise)
    const disconnected = once(app.server, 'close')
    const order: string[] = []
    const closed = app.close().then(() => order.push('closed'))
    await disconnected
    setImmediate(() => {
      order.push('released')
      if (error) reject(error)
      else resolve()
    })
    await closed
    assert.deepEqual(order, ['released', 'closed'])
  }
})

test('A close waits for a hook whose client has disconnected, and for the handler after it', async () => {
  const app = Fastify()
  finishHandlers(app, Number.POSITIVE_INFINITY)
  const started = Promise.withResolvers<void>()
  const [hook, handler] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  app.addHook('onRequest', (_request, _reply, done) => {
    app.finishBeforeClose(hook.promise.then(() => done(), done))
    started.resolve()
  })
  const order: string[] = []
  app.get('/slow', async () => {
    order.push('handler')
    await handler.promise
    return 'fine'
  })
  await app.listen({ port: 0 })
  const socket = connect((app.server.address() as AddressInfo).port)
  socket.write('GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await started.promise
  socket.destroy()
  await once(socket, 'close')
  const disconnected = once(app.server, 'close')
  const closed = app.close().then(() => order.push('closed'))
  await disconnected
  order.push('disconnected')
  hook.resolve()
  setImmediate(() => {
    order.push('released')
    handler.resolve()
  })
  await closed
  assert.deepEqual(order, ['disconnected', 'handler', 'released', 'closed'])
})

test('A close gives up a handler that does not end', { timeout: 60_000 }, async () => {
  const app = Fastify()
  finishHandlers(app, 50)
  const { promise, resolve } = Promise.withResolvers<void>()
  await leaveRequest(app, promise)
  await app.close()
  resolve()
})

for (const address of ['127.0.0.1', '::1'])
  test(`A close ends a kept connection to ${address} after the response for which it has waited`, {
    timeout: 60_000,
  }, async () => {
    const timeouts = { ...TIMEOUTS, idleMilliseconds: 3_600_000 }
    const service = await startService({ engine: 'sqlite', timeouts })
    const signIn = { email: 'unknown@example.com', password: 'not a password of any user' }
    const keepAlive = { connection: 'keep-alive' }
    const held = await holdRequest(service.baseUrl, '/api/auth/sign-in/email', signIn, keepAlive, address)
    const stopped = service.stop()
    assert.match(await held.release(), /^HTTP\/1\.1 401 .*connection: keep-alive/is)
    await stopped
  })
