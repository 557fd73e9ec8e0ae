import { access, constants } from 'node:fs/promises'
import type { Context } from '../core/context.ts'
import type { Config } from '../platform/config/config.ts'
import { isLocal } from '../platform/config/loopback.ts'
import { findSmtpServer, type SmtpServer } from '../platform/config/smtp-server.ts'
import type { MailServerError } from '../platform/mail/mail-server-error.ts'
import { toOneLine } from '../platform/one-line.ts'
import { type Check, requireNoProblem, requireWell } from './doctor-check.ts'
import { quickDatabaseChecks } from './doctor-database.ts'
import { postgresChecks, quickPostgresChecks } from './doctor-postgres.ts'
import { filesCheck, sqliteChecks } from './doctor-sqlite.ts'
import { ENVIRONMENT_FILE, findEnvironmentFileProblem } from './environment-file.ts'
import { findDatabaseAdvice } from './explain.ts'

export function doctorChecks(context: Context): Check[] {
  return withDatabase(context, databaseChecks(context))
}

/** Users wait for these checks, so only doctor runs slow ones, such as the search for damage. Doctor writes nothing. */
export function runningServiceChecks(context: Context, testWrite: () => Promise<void>): Check[] {
  const { database } = context.config
  const ofEngine = database.engine === 'postgres' ? quickPostgresChecks(context) : [filesCheck(database.path)]
  const written = () => testWrite().then(() => 'the database was written')
  return withDatabase(context, [...quickDatabaseChecks(context), ...ofEngine, ['test write', written]])
}

/** These checks read only: their connections can't change the database. */
function databaseChecks(context: Context): Check[] {
  const { database } = context.config
  return database.engine === 'postgres' ? postgresChecks(context, database.url) : sqliteChecks(context, database.path)
}

function withDatabase({ config }: Context, ofDatabase: Check[]): Check[] {
  return [
    ['configuration', async () => checkConfiguration(config)],
    ...ofDatabase.map(withAdvice),
    ['mail', () => checkMail(config)],
    ['pages', () => checkPages()],
  ]
}

function checkConfiguration({ baseUrl, database }: Config): string {
  return requireNoProblem(findEnvironmentFileProblem(ENVIRONMENT_FILE), `${baseUrl}, ${database.engine}`)
}

const MAIL_ADVICE =
  'Check the host, the port, the user and the password in SMTP_URL, and that this machine may connect to the server. smtps:// is for a port that begins with TLS, such as 465, and smtp:// for the others, such as 587'

const CERTIFICATE_ADVICE =
  'Write the host in SMTP_URL as the certificate of the mail server names it, or replace the certificate. For your own certificate authority, set NODE_EXTRA_CA_CERTS in the environment'

const SENDER_ADVICE =
  'All emails wait until it accepts the sender. Check MAIL_FROM, and the queue, the disk and the settings of the mail server'

/** An error of the driver says what is wrong, and not what to do. */
function withAdvice([name, check]: Check): Check {
  const advised = async () => {
    try {
      return await check()
    } catch (error) {
      const advice = error instanceof Error ? findDatabaseAdvice(error) : undefined
      if (advice === undefined) throw error
      throw new Error(`${(error as Error).message}. ${advice}`, { cause: error })
    }
  }
  return [name, advised]
}

/** The library for emails is imported at use, because most processes send none. */
async function checkMail(config: Config): Promise<string> {
  const server = findSmtpServer(config)
  if (server === undefined) return requireWell(isLocal(config.baseUrl), 'shown at /dev/mailbox', 'SMTP_URL is missing')
  const { checkMailServer } = await import('../platform/mail/check-mail-server.ts')
  const { isEncrypted } = await checkMailServer(server, config.mailFrom).catch((error: MailServerError) => {
    // The response may control a terminal.
    throw new Error(`${toOneLine(error.message)}. ${findMailAdvice(error)}`, { cause: error })
  })
  const accepted = `${server.auth ? 'the password and ' : ''}the sender at MAIL FROM`
  return `the server accepts ${accepted}, ${isEncrypted ? `encrypted${describeUnverified(server)}` : 'not encrypted'}`
}

function describeUnverified({ tls }: SmtpServer): string {
  return tls?.rejectUnauthorized === false ? ' with a certificate that is not verified' : ''
}

function findMailAdvice({ command, message }: MailServerError): string {
  if (command === 'MAIL FROM') return SENDER_ADVICE
  return /\bcertificate\b/.test(message) ? CERTIFICATE_ADVICE : MAIL_ADVICE
}

async function checkPages(): Promise<string> {
  await access(new URL('../../web/dist/index.html', import.meta.url), constants.R_OK).catch(() => {
    throw new Error('not built; npm start builds them')
  })
  return 'built'
}
