import { randomBytes } from 'node:crypto'
import { ConfigError, readConfig } from '../platform/config/config.ts'
import { SecretError } from '../platform/crypto/secret-file.ts'
import { CopyError } from '../platform/database/copy/copy-error.ts'
import { MigrationError } from '../platform/database/migrate.ts'
import { isUnavailable } from '../platform/database/unavailable.ts'
import { ApiError } from '../platform/http/errors.ts'
import { type Command, CommandError } from './command.ts'
import { loadEnvironmentFile } from './environment-file.ts'
import { createLog } from './log.ts'

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

/** Runs one command. An error is printed, and the exit code is 1. */
export async function run(commandArguments: string[]): Promise<void> {
  process.stdout.on('error', endWithReader)
  try {
    await main(commandArguments)
  } catch (error) {
    console.error(explain(error))
    process.exitCode = 1
  }
}

/** The reader of the output has ended, as `head` does after its lines. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit(1)
}

/** PostgreSQL: the role lacks a right. */
const FORBIDDEN_CODE = '42501'

/** A folder or file that can't be read or written, and a full disk. */
const FILE_CODES = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC', 'EDQUOT', 'EFBIG']

/** @returns a sentence for a problem that an operator can solve, and the error with its stack for others */
function explain(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (
    [CommandError, ConfigError, CopyError, MigrationError, SecretError, ApiError].some(
      (known) => error instanceof known,
    )
  )
    return error.message
  const { syscall, code = '' } = error as NodeJS.ErrnoException
  if (syscall === 'listen') return `The service can't listen: ${error.message}. See PORT, HOST and METRICS_PORT.`
  if (FILE_CODES.includes(code))
    return `A file can't be used: ${error.message}. Mend the rights of the folder, make room on the disk, or check DATABASE_URL.`
  if (code === FORBIDDEN_CODE)
    return `The role of DATABASE_URL lacks a right: ${error.message}. Make it the owner (alter database … owner to …), or run migrate with the owner.`
  if (isUnavailable(error))
    return `The database or a port is not available: ${error.message || code}. Check DATABASE_URL, the disk and HOST, or run \`npm run accounts -- doctor\`.`
  return error
}

async function main([name, ...commandArguments]: string[]): Promise<void> {
  const load = name === undefined ? undefined : COMMANDS[name]
  if (!load) {
    if (name === undefined || name === '--help') return console.log(await usage())
    throw new CommandError(`There is no command "${name}".\n\n${await usage()}`)
  }
  const command = await load()
  if (commandArguments.includes('--help')) return console.log(command.help)
  loadEnvironmentFile('.env', process.env)
  const config = readConfig(process.env)
  const log = createLog(config.logLevel)
  await command.run(config, { now: Date.now, randomBytes, log }, commandArguments)
}

async function usage(): Promise<string> {
  const lines = Object.entries(COMMANDS).map(async ([name, load]) => `  ${name.padEnd(10)}${(await load()).summary}`)
  return `Usage: npm run accounts -- <command>

Commands:
${(await Promise.all(lines)).join('\n')}

Each command has --help. Settings come from the environment or a .env file; docs/operations.md lists them.`
}
