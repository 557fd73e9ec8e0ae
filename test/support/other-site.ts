import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface OtherSite {
  origin: string
  stop(): void
}

/**
 * A service on another port, whose every address shows the same page, or redirects to its parameter `next`. On
 * 127.0.0.1 it is another site than localhost.
 */
export async function startOtherSite(hostname = 'localhost'): Promise<OtherSite> {
  const server = createServer(({ url = '/' }, response) => {
    const next = new URL(url, 'http://localhost').searchParams.get('next')
    if (next !== null) {
      response.writeHead(302, { location: next }).end()
      return
    }
    response
      .setHeader('content-type', 'text/html')
      .end('<!doctype html><title>App</title><link rel="icon" href="data:,"><h1>The other service</h1>')
  })
  await once(server.listen(0, hostname), 'listening')
  const { port } = server.address() as AddressInfo
  return { origin: `http://${hostname}:${port}`, stop: () => server.close() }
}
