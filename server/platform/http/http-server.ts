import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Connection } from './connection.ts'
import type { ErrorCode } from './errors.ts'
import { createServer } from './node-http.ts'

export interface Timeouts {
  /** The limit for the arrival of a whole request, and for the first request of a new connection. */
  requestMilliseconds: number
  /** After this time, the connection of a client that does not read is closed. */
  unreadMilliseconds: number
  /** The limit between two requests. Load balancers usually use 60 s, and must close the connection first. */
  idleMilliseconds: number
  /** The same limit at a stop. A proxy may have sent the next request already, and can't repeat a change. */
  idleAtStopMilliseconds: number
}

export const TIMEOUTS: Timeouts = {
  requestMilliseconds: 60_000,
  unreadMilliseconds: 30_000,
  idleMilliseconds: 72_000,
  idleAtStopMilliseconds: 500,
}

const IDLE_CHECK_MILLISECONDS = 100
const ACCEPT_MILLISECONDS_MAXIMUM = 1_000
const QUIET_MILLISECONDS = 5
const QUIET_TURNS = 5
const LONG_TURN_MILLISECONDS = 1

export type RefuseSocket = (code: ErrorCode, cause: NodeJS.ErrnoException | undefined) => Buffer

export function createHttpServer(listener: RequestListener, refuse: RefuseSocket, timeouts = TIMEOUTS): Server {
  const connections = new Map<Socket, Connection>()
  const connectionOf = (socket: Socket) => connections.get(socket)!

  const server = createServer({
    optimizeEmptyRequests: true,
    // `checkHosts` refuses it instead, because Node's response has no error code.
    requireHostHeader: false,
    connectionsCheckingInterval: timeouts.requestMilliseconds / 12,
    requestTimeout: timeouts.requestMilliseconds,
    headersTimeout: timeouts.requestMilliseconds,
    keepAliveTimeout: timeouts.idleMilliseconds,
  })

  // Node's method cuts off a response that the client has not read completely.
  server.closeIdleConnections = () => {
    for (const connection of connections.values()) connection.closeIfIdle(timeouts.idleAtStopMilliseconds)
  }
  server.on('connection', (socket) => {
    rememberAddress(socket)
    connections.set(socket, new Connection(socket, listener))
    socket.on('close', () => connections.delete(socket))
  })
  const accept: RequestListener = (request, response) => connectionOf(request.socket).accept(request, response)
  server.on('request', accept)
  // RFC 9110, section 10.1.1: a server may ignore an unknown expectation. Node's response has no error code.
  server.on('checkExpectation', accept)
  const watch = setInterval(() => {
    for (const connection of connections.values()) connection.watchReading(timeouts.unreadMilliseconds)
  }, timeouts.unreadMilliseconds / 12).unref()
  server.on('close', () => clearInterval(watch))
  server.on('timeout', (socket) => connectionOf(socket).handleTimeout(timeouts.unreadMilliseconds))
  server.on('connect', ({ socket }) => {
    // Node has removed its error listener.
    socket.on('error', () => {})
    connectionOf(socket).refuse(refuse('NOT_FOUND', undefined))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket
    if (!socket.writable || error.code === 'ECONNRESET') return socket.destroy()
    connectionOf(socket).refuse(refuse(codeOf(error), error))
  })
  return server
}

/** Node closes only connections that are idle when a stop begins. Others would stay open after their response. */
export function closeIdleAtStop(app: FastifyInstance): void {
  let timer: NodeJS.Timeout | undefined
  // setImmediate lets Node read the requests that have arrived, before idle connections are closed.
  const closeIdle = () => setImmediate(() => app.server.closeIdleConnections())
  app.addHook('preClose', async () => {
    await acceptWaiting(app.server)
    timer = setInterval(closeIdle, IDLE_CHECK_MILLISECONDS).unref()
  })
  app.addHook('onClose', async () => clearInterval(timer))
}

/**
 * Closing the port would reset the connections that wait in the system, and a proxy can't repeat their changes. Node
 * accepts one in each turn, and the first process passes them to a worker one by one.
 */
async function acceptWaiting(server: Server): Promise<void> {
  const deadline = performance.now() + ACCEPT_MILLISECONDS_MAXIMUM
  const accepted: Socket[] = []
  let quietTurns = 0
  let quietSince = performance.now()
  const hold = (socket: Socket) => {
    accepted.push(socket.pause())
    quietTurns = 0
    quietSince = performance.now()
  }
  const isQuiet = () => quietTurns >= QUIET_TURNS && performance.now() - quietSince >= QUIET_MILLISECONDS
  server.on('connection', hold)
  while (!isQuiet() && performance.now() < deadline) {
    const startedAt = performance.now()
    await nextTurn()
    // In a long turn, clients get responses and connect again.
    if (performance.now() - startedAt < LONG_TURN_MILLISECONDS) quietTurns += 1
    else quietTurns = 0
  }
  server.off('connection', hold)
  // The port is closed in this turn, before these requests are answered.
  setImmediate(() => {
    for (const socket of accepted) socket.resume()
  })
}

/** Node reads the address at its first use, and remembers it. The system does not know it after a disconnect. */
function rememberAddress(socket: Socket): void {
  void socket.remoteAddress
}

function codeOf({ code }: NodeJS.ErrnoException): ErrorCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'REQUEST_TIMEOUT'
  if (code === 'HPE_HEADER_OVERFLOW') return 'REQUEST_HEADERS_TOO_LARGE'
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 'BODY_TOO_LARGE'
  return 'MALFORMED_REQUEST'
}
