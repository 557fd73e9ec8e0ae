import { statSync } from 'node:fs'
import { sql } from 'kysely'
import { type Context, openContext } from '../core/context.ts'
import { assertSourceUnused, moveDatabase, moveOf } from '../features/copies/move-database.ts'
import type { Config } from '../platform/config/config.ts'
import { configProblemsOf } from '../platform/config/config-problems.ts'
import { EnvironmentReader } from '../platform/config/environment-reader.ts'
import { readDatabase } from '../platform/config/read-database.ts'
import type { Runtime } from '../platform/context.ts'
import { readSecretFile, secretPathOf } from '../platform/crypto/secret-file.ts'
import { assertEmptyOrBegun } from '../platform/database/copy/copy-state.ts'
import { describeDatabase } from '../platform/database/copy/describe-database.ts'
import { FinishedCopyError } from '../platform/database/copy/finished-copy.ts'
import { assertFile, inspectFile } from '../platform/database/existing-database.ts'
import { assertOfAccounts } from '../platform/database/own-tables.ts'
import { readArguments, refuseArguments, wrongUse } from './arguments.ts'
import { type Command, CommandError } from './command.ts'
import { explain } from './explain.ts'
import { openMigrated } from './prepare.ts'
import { drawProgress } from './progress-bar.ts'

const HELP = `Usage: npm run accounts -- move --to postgres://…
       npm run accounts -- move --to sqlite:./accounts.db

Copies everything from the database of DATABASE_URL to a new, empty one, and compares each row. Stop every process of
Accounts first: it refuses to run while one uses the database, and none can change it until the move ends. An interrupted
move continues when it is run again. No service starts on an unfinished target. With the same SECRET, all sessions,
passkeys, API keys, links and the audit log stay valid. Apart from missing migrations, and a new SECRET beside
PREVIOUS_SECRET, the source stays as it was.`

export const moveCommand: Command = {
  summary: 'Move the database to PostgreSQL, or back to SQLite',
  help: HELP,
  takesArguments: true,
  async run(config, runtime, commandArguments) {
    const to = parse(config, commandArguments)
    assertFile(config.database)
    await inspectFile(config.database, assertOfAccounts)
    assertAnotherFile(config.database, to)
    const unmigrated = openContext(config, runtime)
    await assertMayMove(unmigrated.context).finally(unmigrated.close)
    await assertUsableTarget(config, runtime, to)
    const opened = await openMigrated(config, runtime)
    // The lock of a SQLite file also refuses other connections of this process.
    await opened.close()
    const source = openContext(opened.context.config, runtime)
    const target = openContext({ ...opened.context.config, database: to }, runtime)
    try {
      await moveDatabase(source.context, target.context, drawProgress)
    } finally {
      await target.close()
      await source.close()
    }
    console.log(describeNext(opened.context.config, to))
  },
}

/** A file can't be both source and target: the move locks the source, also for this process. @throws CommandError */
function assertAnotherFile(from: Config['database'], to: Config['database']): void {
  if (from.engine !== 'sqlite' || to.engine !== 'sqlite') return
  const [one, other] = [from, to].map(({ path }) => statSync(path, { throwIfNoEntry: false }))
  if (one && one.ino === other?.ino && one.dev === other.dev)
    throw new CommandError('--to names the database of DATABASE_URL itself. Choose a new, empty database.')
}

async function assertMayMove(source: Context): Promise<void> {
  // A SQLite file is not opened here: an open connection would prevent the lock of the move.
  if (source.config.database.engine === 'postgres') await assertOfAccounts(source.database)
  await assertSourceUnused(source)
}

/** @throws CommandError for a target that can't be reached or written: a later error would blame DATABASE_URL */
async function assertUsableTarget(config: Config, runtime: Runtime, to: Config['database']): Promise<void> {
  const { context, close } = openContext({ ...config, database: to }, runtime)
  const { database } = context
  try {
    await inspectFile(to, (target) => assertEmptyOrBegun(target, moveOf(config.database)))
    await assertEmptyOrBegun(database, moveOf(config.database))
    if (to.engine === 'postgres') await assertMayCreateTables(database)
  } catch (error) {
    // This error tells the operator to change the setting DATABASE_URL, so the name is not replaced in it.
    if (error instanceof FinishedCopyError) throw error
    const sentence = explain(error, '--to')
    throw typeof sentence === 'string' ? new CommandError(sentence.replaceAll('DATABASE_URL', '--to')) : error
  } finally {
    await close()
  }
}

async function assertMayCreateTables(database: Context['database']): Promise<void> {
  const { rows } = await sql<{ may: boolean | null }>`
    select has_schema_privilege(current_schema(), 'create') as may`.execute(database)
  if (!rows[0]?.may)
    throw new CommandError(
      "The role of --to can't create tables. Make it the owner (alter database … owner to …), or grant it create on the schema.",
    )
}

function parse(config: Config, commandArguments: string[]): Config['database'] {
  const { values, positionals } = readArguments(commandArguments, { to: { type: 'string' } }, HELP)
  refuseArguments(positionals, HELP)
  if (!values.to) throw wrongUse('--to, the address of an empty database, is needed.', HELP)
  const problems: string[] = []
  const settings = readDatabase(new EnvironmentReader({ DATABASE_URL: values.to }, problems))
  problems.push(...configProblemsOf({ ...config, database: settings, workerCount: 1 }))
  if (problems.length > 0) throw wrongUse(problems.join('\n').replaceAll('DATABASE_URL', '--to'), HELP)
  return settings
}

function describeNext({ database: from, secret: used }: Config, to: Config['database']): string {
  const file = from.engine === 'sqlite' ? secretPathOf(from.path) : undefined
  const value = file && readSecretFile(file) === used ? `the text of the file ${file}` : 'the one of the old database'
  const place =
    to.engine === 'sqlite' ? `, or have it in the file ${secretPathOf(to.path)} (mode 0600)` : ', for every process'
  return `Everything is moved to ${describeDatabase(to)}, and every row is verified. Next:
  1. Set DATABASE_URL to the new database.
  2. Keep SECRET: set it to ${value}${place}.
  3. Run npm run accounts -- doctor, then start.
  4. Destroy the old database when you are sure: changes in one of the two are not in the other.`
}
