import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

/** Browsers and `fetch` refuse 10,080, the last of their blocked ports ("bad port", Fetch standard). */
const FIRST_PORT = 10_081
/**
 * Systems use the ports above this for outgoing connections. Such a connection could take the port before the server.
 */
const LAST_PORT = 32_000

/**
 * A port that is free at the moment. Its server listens later, so no other process of the run may choose it.
 * @param claimsFolder contains a file for each port that the run has chosen; undefined outside of a run
 */
export async function getFreePort(claimsFolder = process.env.TEST_PORTS): Promise<number> {
  const port = randomInt(FIRST_PORT, LAST_PORT + 1)
  return (await take(port, claimsFolder)) ? port : getFreePort(claimsFolder)
}

/** @returns the first of two neighboring ports that are free, for a program that listens on both */
export async function getFreePortPair(claimsFolder = process.env.TEST_PORTS): Promise<number> {
  const port = await getFreePort(claimsFolder)
  return (await take(port + 1, claimsFolder)) ? port : getFreePortPair(claimsFolder)
}

/** @returns false if the port is not free, or if the run has chosen it before */
async function take(port: number, claimsFolder: string | undefined): Promise<boolean> {
  if (claimsFolder && !claim(port, claimsFolder)) return false
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}

/** @returns false if the run has chosen the port before */
function claim(port: number, claimsFolder: string): boolean {
  try {
    writeFileSync(join(claimsFolder, String(port)), '', { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
