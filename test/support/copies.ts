import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import type { Command } from '../../server/commands/command.ts'
import { type OpenContext, openContext } from '../../server/core/context.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { getFreePort } from './free-port.ts'
import { newSecret } from './process.ts'
import { type Service, startService } from './service.ts'
import { createTestDatabase, type Engine } from './test-database.ts'

const runtime = { now: Date.now, randomBytes, log: pino({ level: 'silent' }) }

/** An installation that can move its data to other databases. Its secret and its address stay the same. */
export interface Installation {
  environment: Record<string, string>
  /** Creates an empty database. @returns its address */
  createDatabase(engine: Engine): Promise<string>
  /** Starts the service on a database, at the same address each time. */
  start(databaseUrl: string, clockAheadMilliseconds?: number): Promise<Service>
  /** Runs a command in this process. @returns what it prints. @throws its error */
  run(databaseUrl: string, command: Command, ...commandArguments: string[]): Promise<string>
  open(databaseUrl: string): OpenContext
}

export async function createInstallation(t: TestContext): Promise<Installation> {
  const port = String(await getFreePort())
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
    async run(databaseUrl, command, ...commandArguments) {
      const lines: unknown[] = []
      const log = t.mock.method(console, 'log', (line: unknown) => lines.push(line))
      try {
        await command.run(configOf(databaseUrl), runtime, commandArguments)
      } finally {
        log.mock.restore()
      }
      return lines.join('\n')
    },
    open: (databaseUrl) => openContext(configOf(databaseUrl), runtime),
  }
}
