import { importFromBetterAuth, tryImport } from '../features/import/import-from-better-auth.ts'
import { openSource, type Source } from '../features/import/open-source.ts'
import { describeReport, type ImportReport } from '../features/import/report.ts'
import { SourceError } from '../features/import/source-error.ts'
import type { Config } from '../platform/config/config.ts'
import type { Runtime } from '../platform/context.ts'
import { readUnchanged } from '../platform/database/existing-database.ts'
import { listColumns } from '../platform/database/list-columns.ts'
import { openForReading } from '../platform/database/open-for-reading.ts'
import { isUniqueViolation } from '../platform/database/unique-violation.ts'
import { readArguments, refuseArguments, wrongUse } from './arguments.ts'
import { type Command, CommandError } from './command.ts'
import { explain, findConnectionAdvice } from './explain.ts'
import { assertMigrated, listMissingMigrations, openOrCreate } from './prepare.ts'
import { drawProgress } from './progress-bar.ts'
import { withReportFile } from './report-file.ts'

const HELP = `Usage: npm run accounts -- import --from SOURCE [--dry-run] [--report FILE]

Imports the users, passwords, passkeys, organizations, memberships, pending invitations and API keys of a Better Auth 1.7
database into this one. SOURCE is sqlite:FILE or postgres://…; it is only read, and may be in use. Lists what is not
imported, and why; docs/import.md explains it. The same command completes an import that was stopped. Sends no emails.

Authenticator apps need BETTER_AUTH_SECRET in the environment, the secret of that Better Auth, or BETTER_AUTH_SECRETS if it
has several. Without them, their users get codes by email.

--dry-run      lists the same and changes nothing
--report FILE  writes every id of the list into a new file`

const UNFINISHED = 'A part is imported already. Run the command again: it completes the import.'

interface Settings {
  from: string
  isDryRun: boolean
  reportFile: string | undefined
}

export const importCommand: Command = {
  summary: 'Import users and organizations from a Better Auth database',
  help: HELP,
  takesArguments: true,
  async run(config, runtime, commandArguments) {
    const { from, isDryRun, reportFile } = parse(commandArguments)
    const run = () => withSource(from, (source) => (isDryRun ? dryRun : importAll)(config, runtime, source))
    const print = (report: ImportReport) =>
      console.log(`${isDryRun ? 'An import brings (nothing was changed)' : 'Imported'}:\n${describeReport(report)}`)
    if (reportFile === undefined) print(await run())
    else await withReportFile(reportFile, isDryRun ? 'dry run' : 'import', run, print)
  },
}

function parse(commandArguments: string[]): Settings {
  const options = { from: { type: 'string' }, 'dry-run': { type: 'boolean' }, report: { type: 'string' } } as const
  const { values, positionals } = readArguments(commandArguments, options, HELP)
  refuseArguments(positionals, HELP)
  if (!values.from) throw wrongUse('--from is needed.', HELP)
  return { from: values.from, isDryRun: values['dry-run'] ?? false, reportFile: values.report }
}

async function withSource(from: string, use: (source: Source) => Promise<ImportReport>): Promise<ImportReport> {
  try {
    const source = await openSource(from)
    try {
      return await use(source)
    } finally {
      await source.close()
    }
  } catch (error) {
    if (error instanceof SourceError) throw refuse(error)
    if (isUniqueViolation(error))
      throw new CommandError(
        'A row with the same id, email address, slug, passkey or API key was created concurrently. Import again.',
        { cause: error },
      )
    throw error
  }
}

function refuse({ message, cause }: SourceError): CommandError {
  const advice = cause instanceof Error ? findConnectionAdvice(cause, '--from') : undefined
  return new CommandError([`The source can't be imported: ${message}.`, ...(advice ? [advice] : [])].join(' '))
}

async function importAll(config: Config, runtime: Runtime, source: Source): Promise<ImportReport> {
  const { context, close } = await openOrCreate(config, runtime)
  let isBegun = false
  const onProgress = (...progress: Parameters<typeof drawProgress>) => {
    isBegun = true
    drawProgress(...progress)
  }
  try {
    return await importFromBetterAuth(context, source, onProgress, sourceSecrets())
  } catch (error) {
    throw isBegun ? toUnfinished(error) : error
  } finally {
    await close()
  }
}

function toUnfinished(error: unknown): unknown {
  if (isUniqueViolation(error)) return error
  const reason = error instanceof SourceError ? refuse(error).message : explain(error)
  return typeof reason === 'string' ? new CommandError(`${reason} ${UNFINISHED}`, { cause: error }) : error
}

async function dryRun(config: Config, runtime: Runtime, source: Source): Promise<ImportReport> {
  await readUnchanged(config.database, listMissingMigrations)
  const database = openForReading(config.database)
  try {
    const hasTables = database !== undefined && (await listColumns(database, 'auditEvents')).length > 0
    // The newest of the tables that a dry run reads.
    if (hasTables && (await listColumns(database, 'passkeys')).length === 0) await assertMigrated(database)
    return await tryImport(runtime, hasTables ? database : undefined, source, drawProgress, sourceSecrets())
  } finally {
    await database?.destroy()
  }
}

/** Other users of the machine can see the arguments of a process, so the secrets are read from the environment. */
function sourceSecrets(): string[] {
  const { BETTER_AUTH_SECRET = '', BETTER_AUTH_SECRETS = '' } = process.env
  const numbered = BETTER_AUTH_SECRETS.split(',').map((entry) => entry.replace(/^\s*\d+:/, '').trim())
  return [...numbered, BETTER_AUTH_SECRET].filter((secret) => secret !== '')
}
