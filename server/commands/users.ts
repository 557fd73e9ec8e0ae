import { parseArgs } from 'node:util'
import { RealUsersError, seedUsers } from '../core/users/seed-users.ts'
import { type Command, CommandError } from './command.ts'
import { openMigrated } from './prepare.ts'
import { drawProgress } from './progress-bar.ts'

const HELP = `Usage: npm run accounts -- users seed --count COUNT

Makes people to try and measure with: their names are made up, they have no password, and their addresses end in
@people.invalid, so that nobody can sign in as them where letters are really sent. Without SMTP_URL, on localhost, a
reset link to one of them can be read at /dev/mailbox. Refuses where there is anybody else: seed first, then make an
administrator with npm run accounts -- admin create.`

const COUNT_MAXIMUM = 10_000_000

export const usersCommand: Command = {
  summary: 'Make people to try and measure with',
  help: HELP,
  async run(config, world, commandArguments) {
    const count = parse(commandArguments)
    const { context, close } = await openMigrated(config, world)
    try {
      await seedUsers(context, count, (done) => drawProgress('Made', done, count))
      console.log(`Made ${count} people.`)
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
