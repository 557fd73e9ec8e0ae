import { access, constants } from 'node:fs/promises'
import { type OpenContext, openContext } from '../core/context.ts'
import { isLocal } from '../platform/config/loopback.ts'
import { parseSmtpUrl } from '../platform/config/smtp-server.ts'
import { checkMailServer } from '../platform/mail/conversation.ts'
import { type Command, CommandError } from './command.ts'
import { type Check, need } from './doctor-check.ts'
import { databaseChecks } from './doctor-database.ts'

export const doctorCommand: Command = {
  summary: 'Check the configuration, the database, SECRET, the clock, the mail server and the pages',
  help: `Usage: npm run accounts -- doctor

Prints the state of each part, and the solution of its problem. Exits with 1 if a check fails. Changes nothing, and
creates no file. Checks all pages of a SQLite database for damage, which takes some time for a large one.`,
  async run(config, runtime) {
    const opened = openContext(config, runtime)
    let failed = 0
    try {
      for (const [what, check] of checks(opened)) {
        try {
          console.log(`ok    ${what}: ${await check()}`)
        } catch (error) {
          failed += 1
          console.log(`FAIL  ${what}: ${(error as Error).message}`)
        }
      }
    } finally {
      await opened.close()
    }
    if (failed > 0) throw new CommandError(`${failed} of the checks failed.`)
  },
}

function checks({ context }: OpenContext): Check[] {
  const { config } = context
  return [
    ['configuration', async () => `${config.baseUrl}, ${config.database.engine}`],
    ...databaseChecks(context),
    ['mail', () => checkMail(config.smtpUrl, config.baseUrl)],
    ['pages', () => checkPages()],
  ]
}

async function checkMail(smtpUrl: string | undefined, baseUrl: string): Promise<string> {
  if (smtpUrl === undefined) return need(isLocal(baseUrl), 'shown at /dev/mailbox', 'SMTP_URL is missing')
  const server = parseSmtpUrl(smtpUrl)
  const { isEncrypted } = await checkMailServer(server)
  return `the server responds${server.auth ? ' and accepts the password' : ''}, ${isEncrypted ? 'encrypted' : 'not encrypted'}`
}

async function checkPages(): Promise<string> {
  await access(new URL('../../web/dist/index.html', import.meta.url), constants.R_OK).catch(() => {
    throw new Error('not built; npm start builds them')
  })
  return 'built'
}
