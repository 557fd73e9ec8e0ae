import { statSync } from 'node:fs'
import type { Config } from './config.ts'
import { isLocal, isLoopback } from './loopback.ts'
import { findPostgresUrlProblem } from './postgres-url.ts'
import { findMailFromProblem, findSmtpUrlProblem } from './smtp-server.ts'
import { withoutPassword } from './without-password.ts'

export function* configProblemsOf(config: Config): Generator<string> {
  yield* addressProblemsOf(config)
  yield* mailProblemsOf(config)
  const { database, workerCount } = config
  if (database.engine === 'postgres') return yield* postgresProblemsOf(database.url)
  if (workerCount > 1)
    yield 'WORKERS is over 1 with SQLite: set DATABASE_URL to a postgres:// address, or leave WORKERS at 1.'
  const found = statSync(database.path, { throwIfNoEntry: false })
  if (found?.isDirectory())
    yield `DATABASE_URL names the folder ${database.path}: add the name of a file, such as sqlite:./data/accounts.db.`
  // The start takes the rights of other users away from this file. Without them on /dev/null, other programs fail.
  else if (found && !found.isFile())
    yield `DATABASE_URL names ${database.path}, which is no file: write sqlite:./data/accounts.db, for example.`
}

function* postgresProblemsOf(url: string): Generator<string> {
  const problem = findPostgresUrlProblem(url)
  if (problem !== undefined) yield `DATABASE_URL ${problem}.`
}

function* addressProblemsOf({ baseUrl, port, metricsPort, relyingPartyId }: Config): Generator<string> {
  const { hostname } = new URL(baseUrl)
  if (!isLocal(baseUrl) && baseUrl.startsWith('http:'))
    yield `BASE_URL is ${baseUrl}: outside of localhost it must be https, or passwords and cookies travel in the clear.`
  if (metricsPort === port && port !== 0)
    yield `METRICS_PORT is ${port}, and so is PORT: set them to two different ports.`
  if (relyingPartyId !== hostname && !isParentDomain(relyingPartyId, hostname))
    yield `RP_ID is "${withoutPassword(relyingPartyId)}", but passkeys made at ${baseUrl} can only be for ${hostname} or a parent domain of it. Set it to one of these, or leave it out.`
}

/** Browsers refuse public suffixes (WebAuthn, section 5.1.3). Without their list, `com` is found, but not `co.uk`. */
function isParentDomain(domain: string, hostname: string): boolean {
  return domain.includes('.') && /[a-z]/i.test(hostname) && hostname.endsWith(`.${domain}`)
}

function* mailProblemsOf({ smtpUrl, baseUrl, host, mailFrom }: Config): Generator<string> {
  const mailFromProblem = findMailFromProblem(mailFrom)
  if (mailFromProblem !== undefined) yield mailFromProblem
  if (smtpUrl !== undefined) {
    const smtpUrlProblem = findSmtpUrlProblem(smtpUrl)
    if (smtpUrlProblem !== undefined) yield `SMTP_URL ${smtpUrlProblem}.`
  } else if (!isLocal(baseUrl)) {
    yield 'SMTP_URL is missing: only on localhost can /dev/mailbox show the emails. Set it to smtp://user:password@host:587.'
  } else if (!isLoopback(host)) {
    yield `HOST is ${host}, so other machines could read the emails in /dev/mailbox. Set HOST to localhost, or set SMTP_URL.`
  }
}
