import { parseArgs } from 'node:util'
import { openContext } from '../core/context.ts'
import { backUpDatabase } from '../features/copies/back-up-database.ts'
import { CopyError } from '../platform/database/copy/copy-error.ts'
import { primaryCodeOf } from '../platform/database/sqlite-statements.ts'
import { isUnavailable } from '../platform/database/unavailable.ts'
import { type Command, CommandError } from './command.ts'
import { drawProgress } from './progress-bar.ts'

const HELP = `Usage: npm run accounts -- backup --to FILE

Writes everything of the database into one SQLite file, from SQLite and from PostgreSQL, while services go on, and
verifies it. It has what was committed when the backup began. It replaces no file. Only its owner can read it: it contains
personal data, hashes of credentials, and secrets that are encrypted under SECRET. Store SECRET elsewhere: a restore
needs both.`

export const backupCommand: Command = {
  summary: 'Back up the database into one file, while the service runs',
  help: HELP,
  async run(config, runtime, commandArguments) {
    const file = parse(commandArguments)
    const { context, close } = openContext(config, runtime)
    try {
      await backUpDatabase(context, file, drawProgress).catch((error) => {
        throw explain(error, file)
      })
    } finally {
      await close()
    }
    console.log(`${file} is complete and verified. It contains personal data, hashes and encrypted secrets. To restore it, you
need SECRET: store ${config.database.engine === 'sqlite' ? 'the file `secret` beside the database, or SECRET,' : 'SECRET'} in another place.`)
  },
}

function parse(args: string[]): string {
  try {
    const { values } = parseArgs({ args, options: { to: { type: 'string' } } })
    if (!values.to) throw new CommandError('--to, the name of a new file, is needed.')
    return values.to
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${HELP}`)
  }
}

/** SQLite: IOERR, FULL, CANTOPEN (primary result codes). */
const FILE_ERRCODES = [10, 13, 14]

/** @returns an error that names the file for a missing folder or a full disk, and others as they are */
function explain(error: unknown, file: string): unknown {
  const { syscall, message } = error as NodeJS.ErrnoException
  const isFile = syscall === undefined ? FILE_ERRCODES.includes(primaryCodeOf(error) ?? 0) : !isUnavailable(error)
  if (!isFile) return error
  return new CopyError(
    `The backup can't be written to ${file}: ${message}. Make room on the disk, or choose a folder that exists and can be written.`,
  )
}
