import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { getFreePort } from '../../test/support/free-port.ts'
import { START_OPTIONS } from '../../test/support/start-options.ts'
import { type RunningServer, startServer } from '../server-process.ts'
import type { Workplace } from '../workplace.ts'

const MAIN = fileURLToPath(new URL('../../server/main.mjs', import.meta.url))
const SECRET = randomBytes(32).toString('base64url')

/** Settings of every process on the measured database. */
export function accountsEnvironment(databaseUrl: string, port: number): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    BASE_URL: `http://localhost:${port}`,
    PORT: String(port),
    HOST: '127.0.0.1',
    SECRET,
    LOG_LEVEL: 'warn',
    // The generator sends a client address with each request, like a proxy.
    TRUST_PROXY: '1',
  }
}

export async function startAccounts(
  workplace: Workplace,
  databaseUrl: string,
  { environment = {}, nodeOptions = [] }: { environment?: Record<string, string>; nodeOptions?: string[] } = {},
): Promise<RunningServer> {
  const port = await getFreePort()
  return startServer(workplace, {
    name: 'Accounts',
    nodeOptions: [...START_OPTIONS, ...nodeOptions],
    script: MAIN,
    args: ['start'],
    environment: { ...accountsEnvironment(databaseUrl, port), ...environment },
    port,
    readyPath: '/api/auth/ok',
  })
}
