import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { importFromBetterAuth, tryImport } from '../features/import/import-from-better-auth.ts'
import { openSource, type Source } from '../features/import/open-source.ts'
import { describeReport, formatFindings, type Report } from '../features/import/report.ts'
import { SourceError } from '../features/import/source-error.ts'
import type { Config } from '../platform/config/config.ts'
import type { Runtime } from '../platform/context.ts'
import { openForReading } from '../platform/database/open-for-reading.ts'
import { isUniqueViolation } from '../platform/database/unique-violation.ts'
import { type Command, CommandError } from './command.ts'
import { openMigrated } from './prepare.ts'
import { drawProgress } from './progress-bar.ts'

const HELP = `Usage: npm run accounts -- import --from SOURCE [--dry-run] [--report FILE]

Imports the users, passwords, passkeys, organizations, memberships, pending invitations and API keys of a Better Auth 1.7
database into this one. SOURCE is sqlite:FILE or postgres://…; it is only read, and may be in use. Lists what does not
come, and why; docs/import.md explains it. An import that was stopped is completed by the same command. Sends no emails.

--dry-run      lists the same and changes nothing
--report FILE  writes every id of the list into a file`

interface Settings {
  from: string
  isDryRun: boolean
  reportFile: string | undefined
}

export const importCommand: Command = {
  summary: 'Import users and organizations from a Better Auth database',
  help: HELP,
  async run(config, runtime, commandArguments) {
    const { from, isDryRun, reportFile } = parse(commandArguments)
    // Before the import, so that a file that can't be written is known early.
    if (reportFile !== undefined) await writeFile(reportFile, '')
    const report = await withSource(from, (source) => (isDryRun ? dryRun : importAll)(config, runtime, source))
    if (reportFile !== undefined) await writeFile(reportFile, formatFindings(report))
    console.log(`${isDryRun ? 'An import brings (nothing was changed)' : 'Imported'}:\n${describeReport(report)}`)
  },
}

function parse(args: string[]): Settings {
  try {
    const options = { from: { type: 'string' }, 'dry-run': { type: 'boolean' }, report: { type: 'string' } } as const
    const { values } = parseArgs({ args, options })
    if (!values.from) throw new CommandError('--from is needed.')
    return { from: values.from, isDryRun: values['dry-run'] ?? false, reportFile: values.report }
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${HELP}`)
  }
}

async function withSource(from: string, use: (source: Source) => Promise<Report>): Promise<Report> {
  try {
    const source = await openSource(from)
    try {
      return await use(source)
    } finally {
      await source.close()
    }
  } catch (error) {
    if (error instanceof SourceError) throw new CommandError(`The source can't be imported: ${error.message}.`)
    if (isUniqueViolation(error))
      throw new CommandError('A user or organization with the same name was created concurrently. Import again.')
    throw error
  }
}

async function importAll(config: Config, runtime: Runtime, source: Source): Promise<Report> {
  const { context, close } = await openMigrated(config, runtime)
  try {
    return await importFromBetterAuth(context, source, drawProgress)
  } finally {
    await close()
  }
}

async function dryRun(config: Config, runtime: Runtime, source: Source): Promise<Report> {
  const database = openForReading(config.database)
  try {
    const tables = (await database?.introspection.getTables()) ?? []
    const isEmpty = !tables.some(({ name }) => name === 'auditEvents')
    return await tryImport(runtime, isEmpty ? undefined : database, source, drawProgress)
  } finally {
    await database?.destroy()
  }
}
