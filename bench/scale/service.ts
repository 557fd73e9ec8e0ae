import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { openContext } from '../../server/core/context.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { createClient } from '../../test/support/client.ts'
import type { MailboxEmail, Service } from '../../test/support/service.ts'
import { accountsEnvironment, startAccounts } from '../ours/start.ts'
import type { RunningServer } from '../server-process.ts'
import type { Workplace } from '../workplace.ts'

const SETTINGS = {
  // The same for every run, so that seeded databases can be used again.
  SECRET: 'scale-bench-secret-0123456789abcdefghij',
  ALLOW_CLIENT_REGISTRATION: 'true',
}

export function environmentOf(databaseUrl: string, port = 3000, more: Record<string, string> = {}) {
  return { ...accountsEnvironment(databaseUrl, port), ...SETTINGS, ...more }
}

export interface MeasuredService extends Service {
  server: RunningServer
}

/** A server process as in service, and a connection of this process to its database, which prepares the requests. */
export async function startMeasured(
  workplace: Workplace,
  databaseUrl: string,
  more: Record<string, string> = {},
  nodeOptions: string[] = [],
): Promise<MeasuredService> {
  const server = await startAccounts(workplace, databaseUrl, { environment: { ...SETTINGS, ...more }, nodeOptions })
  const config = readConfig(environmentOf(databaseUrl, server.port, more))
  const preparing = readConfig(environmentOf(withoutWaiting(databaseUrl), server.port, more))
  const { context, close } = openContext(preparing, { now: Date.now, randomBytes, log: pino({ level: 'silent' }) })
  const { baseUrl } = config
  return {
    server,
    engine: config.database.engine,
    baseUrl,
    config,
    context,
    routes: [],
    advance: () => unavailable('the clock'),
    setupToken: () => unavailable('the setup'),
    client: () => createClient(baseUrl),
    async emails(address) {
      const { body } = await createClient(baseUrl).get('/dev/mailbox/emails')
      return (body as { emails: MailboxEmail[] }).emails.filter(({ to }) => to === address)
    },
    async stop() {
      await server.stop()
      await close()
    },
  }
}

/** On PostgreSQL, the preparation of requests does not wait for the disk. */
function withoutWaiting(databaseUrl: string): string {
  if (databaseUrl.startsWith('sqlite:')) return databaseUrl
  const url = new URL(databaseUrl)
  url.searchParams.set('options', '-c synchronous_commit=off')
  return url.href
}

function unavailable(what: string): never {
  throw new Error(`${what} of a measured service is that of the machine`)
}
