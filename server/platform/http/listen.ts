import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, createServer, type Server as SocketServer } from 'node:net'
import type { Runtime } from '../context.ts'
import type { HttpApp } from './http-app.ts'

/** The port is taken or forbidden, or HOST is no address of this machine. */
export class ListenError extends Error {
  override name = 'ListenError'
}

function refuseToListen(cause: Error): never {
  throw new ListenError(cause.message, { cause })
}

/** @returns the port, or any free one for port 0. @throws ListenError */
export async function findFreePort(host: string, port: number): Promise<number> {
  const server = createServer().listen({ host: host === 'localhost' ? '127.0.0.1' : host, port })
  await once(server, 'listening').catch(refuseToListen)
  const { port: found } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return found
}

/** `localhost` means both loopback addresses, because clients may try either one first. @throws ListenError */
export async function listen(app: HttpApp, host: string, port: number): Promise<void> {
  if (host !== 'localhost') return listenOn(app, host, port)
  const ipv6Server = createIpv6Server(app.server)
  app.addHook('preClose', async () => {
    if (!ipv6Server.listening) return
    const servers = [ipv6Server, app.server]
    const closed = Promise.all(servers.map((server) => once(server, 'close')))
    for (const server of servers) server.close()
    await closed
  })
  await listenOn(app, '127.0.0.1', port)
  await listenOnIpv6(ipv6Server, app.server, app.log)
}

/** `listen` for a server without an app. @throws ListenError */
export async function listenWithoutApp(
  server: Server,
  { host, port }: { host: string; port: number },
  log: Runtime['log'],
): Promise<void> {
  const isLocalhost = host === 'localhost'
  await once(server.listen(port, isLocalhost ? '127.0.0.1' : host), 'listening').catch(refuseToListen)
  if (!isLocalhost) return
  const ipv6Server = createIpv6Server(server)
  server.once('close', () => ipv6Server.close())
  await listenOnIpv6(ipv6Server, server, log)
}

/** Passes the connections to ::1 on to the server, which listens on 127.0.0.1. */
function createIpv6Server(server: Server): SocketServer {
  return createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket))
}

async function listenOnIpv6(ipv6Server: SocketServer, server: Server, log: Runtime['log']): Promise<void> {
  const { port } = server.address() as AddressInfo
  await new Promise<void>((resolve) => {
    ipv6Server.once('error', (error) => {
      log.warn({ err: error, port }, 'the service listens on 127.0.0.1 only')
      resolve()
    })
    ipv6Server.listen({ host: '::1', port }, resolve)
  })
}

async function listenOn(app: HttpApp, host: string, port: number): Promise<void> {
  // An error of the app itself must not look like one of the address.
  await app.ready()
  await app.listen({ host, port }).catch(refuseToListen)
}
