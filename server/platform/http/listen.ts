import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { App } from './typed-app.ts'

/** The port is taken or forbidden, or HOST is no address of this machine. */
export class ListenError extends Error {
  override name = 'ListenError'
}

/** @throws ListenError */
export function refuseToListen(cause: Error): never {
  throw new ListenError(cause.message, { cause })
}

/** For a process that supervises others, which bind the port later. @throws ListenError */
export async function assertPortFree(host: string, port: number): Promise<void> {
  await findFreePort(host, port)
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

/**
 * Listens on HOST. `localhost` means both loopback addresses, because clients may try either one first.
 * @throws ListenError
 */
export async function listen(app: App, host: string, port: number): Promise<void> {
  if (host !== 'localhost') return listenOn(app, host, port)
  const second = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => app.server.emit('connection', socket))
  app.addHook('preClose', async () => {
    if (!second.listening) return
    const servers = [second, app.server]
    const closed = Promise.all(servers.map((server) => once(server, 'close')))
    for (const server of servers) server.close()
    await closed
  })
  await listenOn(app, '127.0.0.1', port)
  const address = app.server.address() as AddressInfo
  await new Promise<void>((resolve) => {
    second.once('error', (error) => {
      app.log.warn({ err: error }, 'the service listens on 127.0.0.1 only')
      resolve()
    })
    second.listen({ host: '::1', port: address.port }, resolve)
  })
}

/** @throws ListenError */
async function listenOn(app: App, host: string, port: number): Promise<void> {
  // An error of the app itself must not look like one of the address.
  await app.ready()
  await app.listen({ host, port }).catch(refuseToListen)
}
