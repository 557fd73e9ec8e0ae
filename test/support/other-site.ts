import { createServer } from 'node:http'
import { getFreePort } from './free-port.ts'

export interface OtherSite {
  origin: string
  stop(): void
}

/** A service on another port, whose every address shows the same page. On 127.0.0.1 it is another site than localhost. */
export async function startOtherSite(hostname = 'localhost'): Promise<OtherSite> {
  const port = await getFreePort()
  const server = createServer((_request, response) => {
    response
      .setHeader('content-type', 'text/html')
      .end('<!doctype html><title>App</title><link rel="icon" href="data:,"><h1>The other service</h1>')
  }).listen(port, hostname)
  return { origin: `http://${hostname}:${port}`, stop: () => server.close() }
}
