import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { getFreePort } from '../../test/support/free-port.ts'
import { type RunningServer, startServer } from '../server-process.ts'
import type { Workplace } from '../workplace.ts'

const SERVER = fileURLToPath(new URL('./server.ts', import.meta.url))

export const BETTER_AUTH_SECRET = randomBytes(32).toString('base64url')

export async function startBetterAuth(
  workplace: Workplace,
  databaseUrl: string,
  { signsOnGetSession = true } = {},
): Promise<RunningServer> {
  const port = await getFreePort()
  const settings = [`--port=${port}`, `--database=${databaseUrl}`, `--secret=${BETTER_AUTH_SECRET}`]
  return startServer(workplace, {
    name: signsOnGetSession ? 'Better Auth' : 'Better Auth that signs no JWT on get-session',
    script: SERVER,
    args: signsOnGetSession ? [...settings, '--signs-on-get-session'] : settings,
    environment: {},
    port,
    readyPath: '/api/auth/ok',
  })
}
