import { openContext } from '../core/context.ts'
import { type Command, CommandError } from './command.ts'
import { NotChecked } from './doctor-check.ts'
import { doctorChecks } from './doctor-checks.ts'

const WAIT_MILLISECONDS = 3_000

export const doctorCommand: Command = {
  summary: 'Check the configuration, the database, SECRET, the clock, the mail server and the pages',
  help: `Usage: npm run accounts -- doctor

Prints the state of each part, and the solution of its problem. Exits with 1 if a check fails. Changes nothing, and
creates no file. Checks all pages of a SQLite database for damage, which takes some time for a large one.`,
  async run(config, runtime) {
    const opened = openContext(config, runtime)
    let failed = 0
    try {
      for (const [what, check] of doctorChecks(opened.context)) {
        try {
          console.log(`ok    ${what}: ${await reportWait(what, check)}`)
        } catch (error) {
          const isSkipped = error instanceof NotChecked
          if (!isSkipped) failed += 1
          console.log(`${isSkipped ? 'skip' : 'FAIL'}  ${what}: ${(error as Error).message}`)
        }
      }
    } finally {
      await opened.close()
    }
    if (failed > 0) throw new CommandError(`${failed} of the checks failed.`)
  },
}

/** A large database, or a server that does not answer, must not look like a command that hangs. */
async function reportWait(what: string, check: () => Promise<string>): Promise<string> {
  const timer = setTimeout(
    () => console.error(`      ${what}: this check takes longer, up to a minute for a server`),
    WAIT_MILLISECONDS,
  )
  return check().finally(() => clearTimeout(timer))
}
