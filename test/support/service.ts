import { randomBytes } from 'node:crypto'
import { after, before, describe } from 'node:test'
import { pino } from 'pino'
import { buildApp } from '../../server/app.ts'
import { openMigrated } from '../../server/commands/prepare.ts'
import type { DeclaredRoute } from '../../server/core/access/declared-routes.ts'
import { type Context, openContext } from '../../server/core/context.ts'
import { createSetupLink } from '../../server/features/account/setup/set-up.ts'
import { createSigningKeys } from '../../server/features/tokens/signing-keys.ts'
import { type Config, readConfig } from '../../server/platform/config/config.ts'
import type { Runtime } from '../../server/platform/context.ts'
import type { RowChanges } from '../../server/platform/database/row-changes.ts'
import { TIMEOUTS, type Timeouts } from '../../server/platform/http/http-server.ts'
import { listen } from '../../server/platform/http/listen.ts'
import { type Client, createClient } from './client.ts'
import { markRequests } from './concurrently.ts'
import { watchResponses } from './documented-answers.ts'
import { getFreePort } from './free-port.ts'
import { rememberError } from './logged-errors.ts'
import { createMigratedDatabase } from './migrated-database.ts'
import type { TestDatabase } from './postgres.ts'
import { createReadyDatabase, READY_SECRET } from './ready-database.ts'
import { rememberPasswords } from './remembered-passwords.ts'
import type { Engine } from './test-database.ts'

export interface Service {
  engine: Engine
  baseUrl: string
  config: Config
  context: Context
  /** The declarations of all routes. */
  routes: DeclaredRoute[]
  /** Moves the clock of the service. A negative number sets it back. */
  advance(milliseconds: number): void
  /** A new browser with its own cookies and network address. */
  client(): Client
  /** Emails to an email address, newest first. */
  emails(address: string): Promise<MailboxEmail[]>
  /** The token of the setup link for the first administrator. */
  setupToken(): Promise<string>
  stop(): Promise<void>
}

export interface MailboxEmail {
  id: string
  to: string
  subject: string
  text: string
  html: string
}

interface Options {
  engine: Engine
  /** Environment variables. */
  environment?: Record<string, string>
  /** Another service, whose database this service uses. */
  beside?: Pick<Service, 'config'>
  /** The offset of the clock at the first start. */
  clockAheadMilliseconds?: number
  timeouts?: Timeouts
  /** Receives every line of the log. */
  onLog?: (line: string) => void
  /** Replaces the source of the caches, to show that a test notices a stale one. */
  changeRowChanges?: (rowChanges: RowChanges) => RowChanges
}

/**
 * Runs the same tests on SQLite and on PostgreSQL, with one service per engine. `define` may leave out tests of one.
 */
export function onEachDatabase(
  name: string,
  define: (service: () => Service, engine: Engine) => void,
  environment: Record<string, string> = {},
): void {
  for (const engine of ['sqlite', 'postgres'] as const) {
    describe(`${name} (${engine})`, () => {
      let service: Service | undefined
      before(async () => {
        service = await startService({ engine, environment })
      })
      after(() => service?.stop())
      define(() => {
        if (!service) throw new Error('The service is available only while tests run')
        return service
      }, engine)
    })
  }
}

/** With one of these settings, or on the database of another service, a start prepares the database by itself. */
const PREPARED_BY_START = ['DATABASE_URL', 'SECRET', 'PREVIOUS_SECRET']

async function prepareDatabase(config: Config, runtime: Runtime): Promise<void> {
  const { context, close } = await openMigrated(config, runtime)
  try {
    await createSigningKeys(context).ensure()
  } finally {
    await close()
  }
}

/** Sets the age of the signing key to that of the first start of a service. */
async function renewSigningKey({ database, now }: Context): Promise<void> {
  await database.updateTable('signingKeys').set({ createdAt: now(), activeAt: now() }).execute()
}

/**
 * Starts the real service in this process, on a free port and a new database, with a clock that tests can move. A start
 * that fails closes what it opened, because open handles would hold up the end of the process.
 */
export async function startService(options: Options): Promise<Service> {
  const { engine, beside, environment = {}, onLog } = options
  const port = await getFreePort()
  const isReady = !beside && !PREPARED_BY_START.some((name) => name in environment)
  const createDatabase = isReady ? createReadyDatabase : createMigratedDatabase
  await using opening = new AsyncDisposableStack()
  const testDatabase = beside ? databaseOf(beside) : await createDatabase(engine)
  opening.defer(testDatabase.drop)
  const config = readConfig({
    BASE_URL: `http://localhost:${port}`,
    PORT: String(port),
    DATABASE_URL: testDatabase.url,
    SECRET: beside?.config.secret ?? READY_SECRET,
    TRUST_PROXY: '1',
    LOG_LEVEL: onLog ? 'debug' : 'error',
    ...environment,
  })
  let aheadMilliseconds = options.clockAheadMilliseconds ?? 0
  const now = () => Date.now() + aheadMilliseconds
  const log = pino({ level: config.logLevel }, { write: onLog ?? rememberError })
  const runtime = { now, randomBytes, log }
  if (!isReady) await prepareDatabase(config, runtime)
  const opened = openContext(config, runtime, 'service')
  opening.defer(opened.close)
  if (isReady) await renewSigningKey(opened.context)
  const context = { ...opened.context, passwords: rememberPasswords(opened.context.passwords) }
  const rowChanges = options.changeRowChanges?.(opened.rowChanges) ?? opened.rowChanges
  const app = await buildApp(
    { ...opened, context, rowChanges },
    options.timeouts ?? { ...TIMEOUTS, idleAtStopMilliseconds: 0 },
  )
  opening.defer(() => app.close())
  const checkAnswers = watchResponses(app, config)
  markRequests(app)
  await listen(app, 'localhost', config.port)

  const running = opening.move()
  return {
    engine,
    baseUrl: config.baseUrl,
    config,
    context,
    routes: app.declaredRoutes,
    advance(milliseconds) {
      aheadMilliseconds += milliseconds
    },
    client: () => createClient(config.baseUrl),
    async emails(address) {
      const { body } = await createClient(config.baseUrl).get('/dev/mailbox/emails')
      return (body as { emails: MailboxEmail[] }).emails.filter((message) => message.to === address)
    },
    async setupToken() {
      const link = await createSetupLink(context)
      if (!link) throw new Error('An administrator exists already')
      return new URL(link).hash.slice(1)
    },
    async stop() {
      await running.disposeAsync()
      checkAnswers()
    },
  }
}

/** The database of another service, which drops it. */
function databaseOf({ config: { database } }: Pick<Service, 'config'>): TestDatabase {
  return { url: database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url, drop: async () => {} }
}
