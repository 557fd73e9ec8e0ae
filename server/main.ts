import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { adminCommand } from './commands/admin.ts'
import { auditCommand } from './commands/audit.ts'
import { type Command, CommandError } from './commands/command.ts'
import { doctorCommand } from './commands/doctor.ts'
import { keysCommand } from './commands/keys.ts'
import { migrateCommand } from './commands/migrate.ts'
import { openapiCommand } from './commands/openapi.ts'
import { startCommand } from './commands/start.ts'
import { usersCommand } from './commands/users.ts'
import { ConfigError, readConfig } from './config.ts'
import { MigrationError } from './database/migrate.ts'
import { ApiError } from './http/errors.ts'

const COMMANDS: Record<string, Command> = {
  start: startCommand,
  migrate: migrateCommand,
  admin: adminCommand,
  keys: keysCommand,
  audit: auditCommand,
  users: usersCommand,
  doctor: doctorCommand,
  openapi: openapiCommand,
}

const USAGE = `Usage: npm run accounts -- <command>

Commands:
${Object.entries(COMMANDS)
  .map(([name, command]) => `  ${name.padEnd(10)}${command.summary}`)
  .join('\n')}

Each one explains itself with --help. Settings come from the environment or a .env file; docs/configuration.md lists them.`

await main(process.argv.slice(2)).catch((error: unknown) => {
  const isExpected = [CommandError, ConfigError, MigrationError, ApiError].some((known) => error instanceof known)
  console.error(isExpected ? (error as Error).message : error)
  process.exitCode = 1
})

async function main([name, ...commandArguments]: string[]): Promise<void> {
  const command = name === undefined ? undefined : COMMANDS[name]
  if (!command) {
    if (name === undefined || name === '--help') return console.log(USAGE)
    throw new CommandError(`There is no command "${name}".\n\n${USAGE}`)
  }
  if (commandArguments.includes('--help')) return console.log(command.help)
  loadEnvironmentFile()
  const config = readConfig(process.env)
  const log = pino({ level: config.logLevel }, pino.destination(2))
  await command.run(config, { now: Date.now, randomBytes, log }, commandArguments)
}

function loadEnvironmentFile(): void {
  try {
    process.loadEnvFile('.env')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
