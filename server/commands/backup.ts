import { openContext } from '../core/context.ts'
import { backUpDatabase } from '../features/copies/back-up-database.ts'
import type { Config } from '../platform/config/config.ts'
import { secretPathOf } from '../platform/crypto/secret-file.ts'
import { CopyError } from '../platform/database/copy/copy-error.ts'
import { primaryCodeOf } from '../platform/database/sqlite-statements.ts'
import { isUnavailable } from '../platform/database/unavailable.ts'
import { readArguments, refuseArguments, wrongUse } from './arguments.ts'
import type { Command } from './command.ts'
import { drawProgress } from './progress-bar.ts'

const HELP = `Usage: npm run accounts -- backup --to FILE [--without-secret]

Writes everything of the database into one SQLite file, from SQLite and from PostgreSQL, while services go on, and
verifies it. It has what was committed when the backup began. It replaces no file. Only its owner can read it: it contains
personal data, hashes of credentials, and secrets that are encrypted under SECRET. Keep a copy of SECRET in another place:
a restore needs both.

--without-secret  backs up even if SECRET is not the one that the database was made with`

export const backupCommand: Command = {
  summary: 'Back up the database into one file, while the service runs',
  help: HELP,
  takesArguments: true,
  async run(config, runtime, commandArguments) {
    const { file, needsSecret } = parse(commandArguments)
    const { context, close } = openContext(config, runtime)
    await backUpDatabase(context, file, drawProgress, needsSecret && config.secret !== '')
      .catch((error) => {
        throw withFileName(error, file)
      })
      .finally(close)
    console.log(describe(config, file, needsSecret))
  },
}

function parse(commandArguments: string[]): { file: string; needsSecret: boolean } {
  const options = { to: { type: 'string' }, 'without-secret': { type: 'boolean' } } as const
  const { values, positionals } = readArguments(commandArguments, options, HELP)
  refuseArguments(positionals, HELP)
  if (!values.to) throw wrongUse('--to, the name of a new file, is needed.', HELP)
  return { file: values.to, needsSecret: !values['without-secret'] }
}

function describe({ database, secret }: Config, file: string, needsSecret: boolean): string {
  const contents = `${file} is complete and verified. It contains personal data, hashes and encrypted secrets.`
  const where = database.engine === 'sqlite' ? ` (SECRET, or the file ${secretPathOf(database.path)})` : ' (SECRET)'
  if (secret === '' || !needsSecret)
    return `${contents}
WARNING: SECRET was not compared with the database. A restore needs the secret that the database was made with${where}.`
  return `${contents} To restore it, you need its
secret${where}: keep a copy of that in another place than this backup.`
}

const IO_ERRCODE = 10
/** SQLite: IOERR, FULL, CANTOPEN (primary result codes). */
const FILE_ERRCODES = [IO_ERRCODE, 13, 14]

/** @returns an error that names the file, for a missing folder, a full disk or an I/O error; other errors unchanged */
function withFileName(error: unknown, file: string): unknown {
  const { syscall, message } = error as NodeJS.ErrnoException
  const isFile = syscall === undefined ? FILE_ERRCODES.includes(primaryCodeOf(error) ?? 0) : !isUnavailable(error)
  if (!isFile) return error
  // SQLite does not say which of the two files the error is about.
  const otherCause = primaryCodeOf(error) === IO_ERRCODE ? ' If it can, check the disk of the database.' : ''
  return new CopyError(
    `The backup can't be written to ${file}: ${message}. Make room on the disk, or choose a folder that exists and can be written.${otherCause}`,
  )
}
