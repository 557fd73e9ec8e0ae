import cluster from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { readConfig } from '../platform/config/config.ts'
import { findFreePort } from '../platform/http/listen.ts'
import { refuseArguments } from './arguments.ts'
import { type Command, CommandError } from './command.ts'
import { ENVIRONMENT_FILE, loadEnvironmentFile } from './environment-file.ts'
import { explain } from './explain.ts'
import { createLog } from './log.ts'
import { endProgress } from './progress-bar.ts'

/** Commands are loaded at use, so that the service does not load the modules of the others. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  start: async () => (await import('./start.ts')).startCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  admin: async () => (await import('./admin.ts')).adminCommand,
  keys: async () => (await import('./keys.ts')).keysCommand,
  audit: async () => (await import('./audit.ts')).auditCommand,
  emails: async () => (await import('./emails.ts')).emailsCommand,
  move: async () => (await import('./move.ts')).moveCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./restore.ts')).restoreCommand,
  users: async () => (await import('./users.ts')).usersCommand,
  seed: async () => (await import('./seed.ts')).seedCommand,
  import: async () => (await import('./import.ts')).importCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  openapi: async () => (await import('./openapi.ts')).openapiCommand,
  access: async () => (await import('./access.ts')).accessCommand,
}

const HELP = ['--help', '-h']

export async function run(commandArguments: string[]): Promise<void> {
  process.stdout.on('error', commandArguments[0] === 'start' ? ignoreOutputError : endWithReader)
  try {
    await runCommand(commandArguments)
  } catch (error) {
    endProgress()
    console.error(explain(error))
    process.exitCode = 1
  }
}

/** A service must continue when its output is a file on a full disk, or a pipe without a reader. */
function ignoreOutputError(): void {}

/** Exits when the reader of the output has ended, as `head` does. After other errors, the command finishes its work. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(1)
  if (process.exitCode === undefined)
    console.error(`The output can't be written: ${error.message}. The command goes on.`)
  process.exitCode = 1
}

/** @throws CommandError after a wrong use, or the error of the command */
export async function runCommand([name, ...commandArguments]: string[]): Promise<void> {
  const load = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!load) {
    if (name === undefined || name === 'help' || HELP.includes(name)) return console.log(await usage())
    throw new CommandError(`There is no command "${name}".\n\n${await usage()}`)
  }
  const command = await load()
  if (commandArguments.some((word) => HELP.includes(word))) return console.log(command.help)
  if (!command.takesArguments) refuseArguments(commandArguments, command.help)
  // A worker has the settings of the first process, also after a change of the file.
  if (!cluster.isWorker) loadEnvironmentFile(ENVIRONMENT_FILE, process.env)
  if (name === 'start' && process.env.PORT === '0') await choosePort(process.env)
  const config = readConfig(process.env)
  const log = createLog(config.logLevel)
  await command.run(config, { now: Date.now, randomBytes, log }, commandArguments)
}

/** The default of BASE_URL has the port, and workers get the same one. */
async function choosePort(environment: NodeJS.ProcessEnv): Promise<void> {
  environment.PORT = String(await findFreePort(environment.HOST || 'localhost', 0))
}

async function usage(): Promise<string> {
  const lines = Object.entries(COMMANDS).map(async ([name, load]) => `  ${name.padEnd(10)}${(await load()).summary}`)
  return `Usage: npm run accounts -- <command>

Commands:
${(await Promise.all(lines)).join('\n')}

Each command has --help. Settings come from the environment or a .env file; docs/operations.md lists them.`
}
