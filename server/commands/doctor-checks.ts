import { access, constants } from 'node:fs/promises'
import type { Context } from '../core/context.ts'
import { isLocal } from '../platform/config/loopback.ts'
import { parseSmtpUrl } from '../platform/config/smtp-server.ts'
import { checkMailServer } from '../platform/mail/conversation.ts'
import { type Check, need } from './doctor-check.ts'
import { databaseChecks, soundDatabaseChecks } from './doctor-database.ts'

export function doctorChecks(context: Context): Check[] {
  return withDatabase(context, databaseChecks(context))
}

/** Without the search for damage, which reads the whole database. */
export function runningServiceChecks(context: Context): Check[] {
  return withDatabase(context, soundDatabaseChecks(context))
}

function withDatabase({ config }: Context, ofDatabase: Check[]): Check[] {
  return [
    ['configuration', async () => `${config.baseUrl}, ${config.database.engine}`],
    ...ofDatabase,
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
