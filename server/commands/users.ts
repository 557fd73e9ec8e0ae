import { parseArgs } from 'node:util'
import { RealUsersError, seedUsers } from '../core/users/seed-users.ts'
import { type Command, CommandError } from './command.ts'
import { openMigrated } from './prepare.ts'
import { drawProgress } from './progress-bar.ts'

const HELP = `Usage: npm run accounts -- users seed --count COUNT

Creates users for tests and measurements. They have invented names, no password, and email addresses that end in
@people.invalid, so they can not sign in where emails are delivered. On localhost without SMTP_URL, /dev/mailbox shows
their reset links. Refuses if there are other users: seed first, then create an administrator with
npm run accounts -- admin create.`

const COUNT_MAXIMUM = 10_000_000

export const usersCommand: Command = {
  summary: 'Create users for tests and measurements',
  help: HELP,
  async run(config, runtime, commandArguments) {
    const count = parse(commandArguments)
    const { context, close } = await openMigrated(config, runtime)
    try {
      await seedUsers(context, count, (done) => drawProgress('Created', done, count))
      console.log(`Created ${count} users.`)
    } catch (error) {
      if (error instanceof RealUsersError) throw new CommandError(error.message)
      throw error
    } finally {
      await close()
    }
  },
}

function parse(commandArguments: string[]): number {
  try {
    const options = { count: { type: 'string' } } as const
    const { values, positionals } = parseArgs({ args: commandArguments, options, allowPositionals: true })
    const count = Number(values.count)
    if (positionals.join(' ') !== 'seed' || !/^\d+$/.test(values.count ?? '') || count < 1 || count > COUNT_MAXIMUM)
      throw new CommandError(`seed and --count, a whole number up to ${COUNT_MAXIMUM}, are needed.`)
    return count
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n\n${HELP}`)
  }
}
