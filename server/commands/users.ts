import { Value } from 'typebox/value'
import type { Context } from '../core/context.ts'
import { RESET_REASON_LENGTH_MAXIMUM } from '../core/field-limits.ts'
import { RealUsersError, seedUsers } from '../core/users/seed-users.ts'
import { resetTwoStepOfEmail } from '../features/staff/two-step/reset-two-step.ts'
import { Reason } from '../features/staff/two-step/schemas.ts'
import { readArguments, refuseArguments, wrongUse } from './arguments.ts'
import { type Command, CommandError } from './command.ts'
import { openExisting, openOrCreate } from './prepare.ts'
import { drawProgress } from './progress-bar.ts'

const HELP = `Usage: npm run accounts -- users reset-two-factor --email EMAIL --reason REASON
       npm run accounts -- users seed --count COUNT

reset-two-factor  Turns off the two-step verification of a user who lost the authenticator app and the recovery codes. Verify
                  first who asks. All sessions and trusted devices of the user end, an email tells the user, and the audit
                  log has the reason. Administrators do the same in the console; this also works for the only administrator.
seed              Creates users for tests and measurements. They have invented names, no password, and email addresses
                  that end in @people.invalid, so they can't sign in where emails are delivered. On localhost without
                  SMTP_URL, /dev/mailbox shows their reset links. Refuses if there are other users: seed first, then
                  create an administrator with npm run accounts -- admin create.`

const COUNT_MAXIMUM = 10_000_000

interface Action {
  open: typeof openExisting
  run: (context: Context) => Promise<void>
}

export const usersCommand: Command = {
  summary: 'Reset the two-step verification of a user; create users for measurements',
  help: HELP,
  takesArguments: true,
  async run(config, runtime, commandArguments) {
    const action = parse(commandArguments)
    const { context, close } = await action.open(config, runtime)
    try {
      await action.run(context)
    } catch (error) {
      if (error instanceof RealUsersError) throw new CommandError(error.message)
      throw error
    } finally {
      await close()
    }
  },
}

function parse([name, ...words]: string[]): Action {
  if (name === 'seed') return parseSeed(words)
  if (name === 'reset-two-factor') return parseReset(words)
  throw wrongUse(name ? `There is no "users ${name}".` : 'reset-two-factor or seed is needed.', HELP)
}

function parseSeed(commandArguments: string[]): Action {
  const { values, positionals } = readArguments(commandArguments, { count: { type: 'string' } }, HELP)
  refuseArguments(positionals, HELP)
  const count = Number(values.count)
  if (!/^\d+$/.test(values.count ?? '') || count < 1 || count > COUNT_MAXIMUM)
    throw wrongUse(`--count, a whole number up to ${COUNT_MAXIMUM}, is needed.`, HELP)
  const run = async (context: Context) => {
    await seedUsers(context, count, (done) => drawProgress('Created', done, count))
    console.log(`Created ${count} users.`)
  }
  return { open: openOrCreate, run }
}

function parseReset(commandArguments: string[]): Action {
  const options = { email: { type: 'string' }, reason: { type: 'string' } } as const
  const { values, positionals } = readArguments(commandArguments, options, HELP)
  refuseArguments(positionals, HELP)
  const { email, reason } = values
  if (!email || !Value.Check(Reason, reason))
    throw wrongUse(
      `--email and --reason, one line of at most ${RESET_REASON_LENGTH_MAXIMUM} characters, are needed.`,
      HELP,
    )
  const run = async (context: Context) => {
    const address = await resetTwoStepOfEmail(context, { email, reason })
    console.log(`${address} has no two-step verification now, is signed out everywhere, and gets an email.`)
  }
  return { open: openExisting, run }
}
