import type { Config } from '../platform/config/config.ts'
import { readUnchanged } from '../platform/database/existing-database.ts'
import { MIGRATIONS, type Migration } from '../platform/database/migration.ts'
import { readArguments, refuseArguments } from './arguments.ts'
import type { Command } from './command.ts'
import { listMissingMigrations, openMigrated } from './prepare.ts'

const HELP = `Usage: npm run accounts -- migrate [--dry-run]

Applies the missing migrations under a lock, and prints what it does. A migration that was interrupted goes on at the next
call. A database of a later version, with which this one does not work, stays unchanged.

--dry-run  Lists the missing migrations and changes nothing. After one of the kind "expand", earlier versions go on working.
           After one of the kind "contract", those that the list names stop working. See docs/upgrading.md.`

export const migrateCommand: Command = {
  summary: 'Bring the database up to date, or list what that would change',
  help: HELP,
  takesArguments: true,
  async run(config, runtime, commandArguments) {
    if (parse(commandArguments)) return printPending(config)
    const { applied, close } = await openMigrated(config, runtime)
    await close()
    console.log(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is up to date.')
  },
}

function parse(commandArguments: string[]): boolean {
  const { values, positionals } = readArguments(
    commandArguments,
    { 'dry-run': { type: 'boolean', default: false } },
    HELP,
  )
  refuseArguments(positionals, HELP)
  return values['dry-run']
}

async function printPending(config: Config): Promise<void> {
  // Without a database, the first command creates it.
  const pending = (await readUnchanged(config.database, listMissingMigrations)) ?? Object.entries(MIGRATIONS)
  if (pending.length === 0) return console.log('The database is up to date.')
  console.log(`Missing migrations: ${pending.length}`)
  for (const [name, migration] of pending) console.log(`  ${name}: ${describe(migration)}`)
}

function describe({ kind, needs, online }: Migration): string {
  const duration = online ? ', takes its time beside requests' : ''
  if (kind === 'expand') return `expand, earlier versions go on working${duration}`
  const which = needs ? `versions without ${needs}` : 'earlier versions'
  return `contract, ${which} stop working${duration}`
}
