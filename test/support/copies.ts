import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { type OpenContext, openContext } from '../../server/core/context.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { findFreePort } from './free-port.ts'
import { newSecret, runAccounts } from './process.ts'
import { type Service, startService } from './service.ts'
import { createTestDatabase, type Engine } from './test-database.ts'

/** What the processes of one installation share while its data is in one database or another. */
export interface Installation {
  environment: Record<string, string>
  /** Creates an empty database. @returns its address */
  createDatabase(engine: Engine): Promise<string>
  /** Starts the service on a database, at the same address each time. */
  start(databaseUrl: string, clockAheadMilliseconds?: number): Promise<Service>
  /** Runs a command. @returns its output and exit code */
  run(databaseUrl: string, ...commandArguments: string[]): Promise<{ code: number | null; output: string }>
  open(databaseUrl: string): OpenContext
}

export async function createInstallation(t: { after(fn: () => unknown): void }): Promise<Installation> {
  const port = String(await findFreePort())
  const environment = { PORT: port, BASE_URL: `http://localhost:${port}`, SECRET: newSecret() }
  const configOf = (databaseUrl: string) => readConfig({ ...environment, DATABASE_URL: databaseUrl })
  return {
    environment,
    async createDatabase(engine) {
      const { url, drop } = await createTestDatabase(engine)
      t.after(drop)
      return url
    },
    async start(databaseUrl, clockAheadMilliseconds = 0) {
      const config = configOf(databaseUrl)
      const { engine } = config.database
      const service = await startService({ engine, beside: { config }, environment, clockAheadMilliseconds })
      let isStopped = false
      const stop = async () => {
        if (isStopped) return
        isStopped = true
        await service.stop()
      }
      t.after(stop)
      return { ...service, stop }
    },
    async run(databaseUrl, ...commandArguments) {
      const { ended, output } = runAccounts(commandArguments, { ...environment, DATABASE_URL: databaseUrl })
      return { code: await ended, output: output() }
    },
    open: (databaseUrl) =>
      openContext(configOf(databaseUrl), { now: Date.now, randomBytes, log: pino({ level: 'silent' }) }),
  }
}
