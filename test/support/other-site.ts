import { createServer, type IncomingHttpHeaders } from 'node:http'
import { findFreePort } from './free-port.ts'

export interface OtherSite {
  origin: string
  /** Headers of each request that reached it, oldest first. */
  requests: IncomingHttpHeaders[]
  stop(): void
}

/** A site of its own on another port: every address shows the same page. */
export async function startOtherSite(hostname = 'localhost'): Promise<OtherSite> {
  const port = await findFreePort()
  const requests: IncomingHttpHeaders[] = []
  const server = createServer(({ headers }, response) => {
    requests.push(headers)
    response
      .setHeader('content-type', 'text/html')
      .end('<!doctype html><title>App</title><link rel="icon" href="data:,"><h1>The other service</h1>')
  }).listen(port, hostname)
  return { origin: `http://${hostname}:${port}`, requests, stop: () => server.close() }
}
