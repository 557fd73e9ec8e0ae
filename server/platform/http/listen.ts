import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { App } from './typed-app.ts'

/** For a process that supervises others, which bind the port later. @throws Error of the system, with EADDRINUSE */
export async function assertPortFree(host: string, port: number): Promise<void> {
  const server = createServer().listen({ host: host === 'localhost' ? '127.0.0.1' : host, port })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}

/** Listens on HOST. `localhost` means both loopback addresses, because clients may try either one first. */
export async function listen(app: App, host: string, port: number): Promise<void> {
  if (host !== 'localhost') return void (await app.listen({ host, port }))
  const second = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => app.server.emit('connection', socket))
  app.addHook('preClose', async () => {
    if (!second.listening) return
    const servers = [second, app.server]
    const closed = Promise.all(servers.map((server) => once(server, 'close')))
    for (const server of servers) server.close()
    await closed
  })
  await app.listen({ host: '127.0.0.1', port })
  const address = app.server.address() as AddressInfo
  await new Promise<void>((resolve) => {
    second.once('error', (error) => {
      app.log.warn({ err: error }, 'the service listens on 127.0.0.1 only')
      resolve()
    })
    second.listen({ host: '::1', port: address.port }, resolve)
  })
}
