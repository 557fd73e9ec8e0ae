import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { RawConnection } from '../../../test/support/raw-connection.ts'
import { createConnectionCheck } from './connection-check.ts'

const ways: Record<string, { close: (socket: Socket) => void; isRefused: boolean }> = {
  'is open': { close: () => {}, isRefused: false },
  'its client has closed': { close: (socket) => socket.destroy(), isRefused: true },
  'its client has closed on one side': { close: (socket) => socket.end(), isRefused: true },
  'its client has reset': { close: (socket) => socket.resetAndDestroy(), isRefused: true },
}
for (const [way, { close, isRefused }] of Object.entries(ways))
  test(`A connection check ${isRefused ? 'refuses' : 'accepts'} a request whose connection ${way}, in the turn in which it was read`, async (t) => {
    const server = createServer().listen(0, '127.0.0.1')
    t.after(() => {
      server.close()
      server.closeAllConnections()
    })
    await once(server, 'listening')
    const { socket } = await RawConnection.open((server.address() as AddressInfo).port)
    const refused = new Promise<boolean>((resolve) => {
      server.on('request', (raw: IncomingMessage, response: ServerResponse) => {
        createConnectionCheck({ raw } as FastifyRequest)().then(
          () => resolve(false),
          () => resolve(true),
        )
        response.on('error', () => {})
      })
    })
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
    close(socket)
    assert.equal(await refused, isRefused)
    socket.destroy()
  })

test('Only the first call of a connection check waits for turns of the event loop', async () => {
  const assertConnected = createConnectionCheck({ raw: { socket: { writable: true } } } as FastifyRequest)
  await assertConnected()
  let hasTurned = false
  setImmediate(() => {
    hasTurned = true
  })
  await assertConnected()
  assert.equal(hasTurned, false)
})
