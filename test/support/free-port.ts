import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Browsers and `fetch` refuse 10,080, the last of their blocked ports ("bad port", Fetch standard). */
const FIRST_PORT = 10_081
/**
 * Systems use the ports above this for outgoing connections. Such a connection could take the port before the server.
 */
const LAST_PORT = 32_000

/** A port that is free at the moment. */
export async function getFreePort(): Promise<number> {
  const port = randomInt(FIRST_PORT, LAST_PORT + 1)
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return getFreePort()
  }
  server.close()
  await once(server, 'close')
  return port
}
