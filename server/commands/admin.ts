import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { createAdmin } from '../features/account/setup/create-admin.ts'
import { isName, NAME_DESCRIPTION, NAME_LENGTH_MAXIMUM } from '../platform/http/names.ts'
import { type Command, CommandError } from './command.ts'
import { openMigrated } from './prepare.ts'

const HELP = `Usage: npm run accounts -- admin create --email EMAIL --name NAME [--password-stdin]

Creates an administrator, or gives the role admin to the user with this email address, which counts as verified.
With --password-stdin the password is read from standard input, so that no history or process list contains it:
  printf %s "$PASSWORD" | npm run accounts -- admin create --email … --name … --password-stdin
Without it, a link to set the password is printed; it works once, within an hour.`

export const adminCommand: Command = {
  summary: 'Create an administrator',
  help: HELP,
  async run(config, runtime, commandArguments) {
    const { email, name, readsPassword } = parse(commandArguments)
    const password = readsPassword ? (await text(process.stdin)).replace(/\r?\n$/, '') : undefined
    const { context, close } = await openMigrated(config, runtime)
    try {
      const created = await createAdmin(context, { email, name, ...(password !== undefined && { password }) })
      console.log(
        created.existed
          ? `${created.email} is an existing user and now an administrator.`
          : `${created.email} is an administrator.`,
      )
      if (created.passwordLink) console.log(`Set the password here (one use, one hour):\n  ${created.passwordLink}`)
    } finally {
      await close()
    }
  },
}

function parse(commandArguments: string[]): { email: string; name: string; readsPassword: boolean } {
  const options = {
    email: { type: 'string' },
    name: { type: 'string' },
    'password-stdin': { type: 'boolean' },
  } as const
  try {
    const { values, positionals } = parseArgs({ args: commandArguments, options, allowPositionals: true })
    const { email, name } = values
    if (positionals.join(' ') !== 'create' || !email || !name)
      throw new CommandError('create, --email and --name are needed.')
    if (name.length > NAME_LENGTH_MAXIMUM || !isName(name))
      throw new CommandError(`--name must have at most ${NAME_LENGTH_MAXIMUM} characters and be ${NAME_DESCRIPTION}.`)
    return { email, name, readsPassword: values['password-stdin'] ?? false }
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${HELP}`)
  }
}
