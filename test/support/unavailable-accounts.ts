import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** Responds with 503 to every request, as Accounts does without its database. @returns its address */
export async function startUnavailableAccounts(t: Pick<TestContext, 'after'>): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(503).end('{"code":"SERVICE_UNAVAILABLE"}'))
  await once(server.listen(0, 'localhost'), 'listening')
  t.after(() => server.close())
  return `http://localhost:${(server.address() as AddressInfo).port}`
}
