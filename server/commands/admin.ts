import { buffer } from 'node:stream/consumers'
import { type CreatedAdmin, createAdmin } from '../features/account/setup/create-admin.ts'
import { decodeUtf8 } from '../platform/decode-utf8.ts'
import { isName, NAME_DESCRIPTION, NAME_LENGTH_MAXIMUM } from '../platform/http/names.ts'
import { readArguments, refuseArguments, wrongUse } from './arguments.ts'
import { type Command, CommandError } from './command.ts'
import { openOrCreate } from './prepare.ts'

const HELP = `Usage: npm run accounts -- admin create --email EMAIL --name NAME [--password-stdin]

Creates an administrator, or gives the role admin to the user with this email address, and marks the address as verified.
With --password-stdin the password is read from standard input, so that no history or process list contains it:
  printf %s "$PASSWORD" | npm run accounts -- admin create --email … --name … --password-stdin
Without it, a link to set the password is printed; it works once, within an hour.
An existing user keeps the name, and a ban is lifted. --password-stdin replaces the password and ends all sessions. If the
address was unverified, the former password, passkeys, second step and sessions are deleted: they may be a stranger's.`

export const adminCommand: Command = {
  summary: 'Create an administrator',
  help: HELP,
  takesArguments: true,
  async run(config, runtime, commandArguments) {
    const { email, name, readsPassword } = parse(commandArguments)
    const password = readsPassword ? await readPassword() : undefined
    const { context, close } = await openOrCreate(config, runtime)
    try {
      const created = await createAdmin(context, { email, name, ...(password !== undefined && { password }) })
      console.log(describe(created, readsPassword))
      if (created.passwordLink) console.log(`Set the password here (one use, one hour):\n  ${created.passwordLink}`)
    } finally {
      await close()
    }
  },
}

/** PowerShell begins its output with a byte order mark. */
async function readPassword(): Promise<string> {
  const password = decodeUtf8(await buffer(process.stdin))
  if (password === undefined) throw new CommandError('The password on standard input is not encoded in UTF-8.')
  return password.replace(/^\ufeff/, '').replace(/\r?\n$/, '')
}

function describe({ email, existed, lostCredentials }: CreatedAdmin, isPasswordSet: boolean): string {
  if (!existed) return `${email} is an administrator.`
  const former = isPasswordSet
    ? ' The password is replaced, and all sessions of the user have ended.'
    : ' The password and the sessions stay as they were.'
  const change = lostCredentials
    ? ' The email address was unverified, so its former password, passkeys, second step and sessions are deleted.'
    : former
  return `${email} is an existing user and now an administrator; the name stays as it was.${change}`
}

function parse(commandArguments: string[]): { email: string; name: string; readsPassword: boolean } {
  const options = {
    email: { type: 'string' },
    name: { type: 'string' },
    'password-stdin': { type: 'boolean' },
  } as const
  const { values, positionals } = readArguments(commandArguments, options, HELP)
  const [action, ...rest] = positionals
  const { email, name } = values
  if (action !== 'create') throw wrongUse(action ? `There is no "admin ${action}".` : 'create is needed.', HELP)
  refuseArguments(rest, HELP)
  if (!email || !name) throw wrongUse('--email and --name are needed.', HELP)
  if (name.length > NAME_LENGTH_MAXIMUM || !isName(name))
    throw wrongUse(`--name must have at most ${NAME_LENGTH_MAXIMUM} characters and be ${NAME_DESCRIPTION}.`, HELP)
  return { email, name, readsPassword: values['password-stdin'] ?? false }
}
