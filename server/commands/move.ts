import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { openContext } from '../core/context.ts'
import { assertSourceUnused, moveDatabase } from '../features/copies/move-database.ts'
import { type Config, readDatabase } from '../platform/config/config.ts'
import { EnvironmentReader } from '../platform/config/environment-reader.ts'
import { findProblems } from '../platform/config/find-problems.ts'
import { secretPathOf } from '../platform/crypto/secret-file.ts'
import { describeDatabase } from '../platform/database/copy/describe-database.ts'
import { type Command, CommandError } from './command.ts'
import { openMigrated } from './prepare.ts'
import { drawProgress } from './progress-bar.ts'

const HELP = `Usage: npm run accounts -- move --to postgres://…
       npm run accounts -- move --to sqlite:./accounts.db

Copies everything from the database of DATABASE_URL to a new, empty one, and compares each row. Stop every process of
Accounts first: it refuses to run while one uses the database, and none can change it until the move ends. An interrupted
move continues when it is run again. No service starts on an unfinished target. With the same SECRET, all sessions,
passkeys, API keys, links and the audit log stay valid. The source gets missing migrations, and no other change.`

export const moveCommand: Command = {
  summary: 'Move the database to PostgreSQL, or back to SQLite',
  help: HELP,
  async run(config, runtime, commandArguments) {
    const to = parse(config, commandArguments)
    if (config.database.engine === 'sqlite' && !existsSync(config.database.path))
      throw new CommandError(`DATABASE_URL names no database: there is no file ${config.database.path}.`)
    const unmigrated = openContext(config, runtime)
    await assertSourceUnused(unmigrated.context).finally(unmigrated.close)
    const opened = await openMigrated(config, runtime)
    // The lock of a SQLite file admits no other connection of this process either.
    await opened.close()
    const source = openContext(opened.context.config, runtime)
    const target = openContext({ ...opened.context.config, database: to }, runtime)
    try {
      await moveDatabase(source.context, target.context, drawProgress)
    } finally {
      await target.close()
      await source.close()
    }
    console.log(describeNext(to))
  },
}

function parse(config: Config, args: string[]): Config['database'] {
  try {
    const { values } = parseArgs({ args, options: { to: { type: 'string' } } })
    if (!values.to) throw new CommandError('--to, the address of an empty database, is needed.')
    const problems: string[] = []
    const settings = readDatabase(new EnvironmentReader({ DATABASE_URL: values.to }, problems))
    problems.push(...findProblems({ ...config, database: settings, workerCount: 1 }))
    if (problems.length > 0) throw new CommandError(problems.join('\n').replaceAll('DATABASE_URL', '--to'))
    return settings
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${HELP}`)
  }
}

function describeNext(to: Config['database']): string {
  const secret =
    to.engine === 'sqlite' ? `, or have it in the file ${secretPathOf(to.path)} (mode 0600)` : ', for every process'
  return `Everything is moved to ${describeDatabase(to)}, and every row is verified. Next:
  1. Set DATABASE_URL to the new database.
  2. Keep SECRET: set it to the one of the old database${secret}.
  3. Run npm run accounts -- doctor, then start.
  4. Destroy the old database when you are sure: changes in one of the two are not in the other.`
}
