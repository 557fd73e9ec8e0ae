import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Environment, EnvironmentReader } from './environment-reader.ts'
import { isLoopback } from './loopback.ts'
import { readSecrets, type Secrets } from './read-secrets.ts'
import { findMailFromProblem, findSmtpUrlProblem } from './smtp-server.ts'

export interface Config extends Secrets {
  /** Origin under which browsers and services reach us, without a trailing slash. Every link and the JWT issuer come from it. */
  baseUrl: string
  /** The domain that passkeys are made for: BASE_URL's host, or a parent domain of it. */
  relyingPartyId: string
  port: number
  host: string
  database: { engine: 'sqlite'; path: string } | { engine: 'postgres'; url: string }
  /** Absent only on localhost: letters are then kept and shown at /dev/mailbox. */
  smtpUrl?: string
  mailFrom: string
  /** Services that browsers may be sent back to, and that may call the routes that declare `otherOrigins`. */
  returnToOrigins: string[]
  /** Front-ends of our own on other origins: they may call every route. */
  trustedOrigins: string[]
  /** How many proxies in front of us to trust for the client's address; 0 trusts the socket alone. */
  trustedProxyCount: number
  passwordMinLength: number
  organizationCreation: 'verified' | 'staff'
  /** How many invitations one organization may send within 24 hours. */
  organizationInvitationsPerDay: number
  organizationsPerUser: number
  sessionsPerUser: number
  jwtKeyBits: number
  /** Audit events that are older are purged; absent: none ever. */
  auditRetentionDays?: number
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Server processes that share the port; more than one needs PostgreSQL. */
  workerCount: number
  limits: {
    /** Wrong passwords of one network in 5 minutes; as many wrong secrets at each route. */
    networkGuesses: number
    /** Wrong passwords for one account in 15 minutes; as many again for each known device and each session. */
    accountGuesses: number
    /** Requests of one network in 5 minutes to each route that sends emails; with a session, of one user. */
    networkEmails: number
    /** Requests of one user in a minute that change something. */
    userChanges: number
    /** The same of one network, without a session. */
    networkChanges: number
  }
  /** Where /metrics is served; absent: nowhere. */
  metricsPort?: number
}

/** All that is wrong with the environment, one sentence each, so that it is mended in one go. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  problems: string[]
  constructor(problems: string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    )
    this.problems = problems
  }
}

/**
 * Environment → Config. Nothing is written.
 * @throws ConfigError naming every problem and what to do about it
 */
export function readConfig(environment: Environment): Config {
  const problems: string[] = []
  const read = new EnvironmentReader(environment, problems)

  const port = read.integer('PORT', 3000, 0, 65_535)
  const baseUrl = read.origin('BASE_URL', `http://localhost:${port}`)
  const local = isLocal(baseUrl)
  if (!local && baseUrl.startsWith('http:')) {
    problems.push(
      `BASE_URL is ${baseUrl}: outside of localhost it must be https, or passwords and cookies travel in the clear.`,
    )
  }
  const database = readDatabase(read, problems)
  const workerCount = read.integer('WORKERS', 1, 1, 128)
  if (workerCount > 1 && database.engine === 'sqlite') {
    problems.push('WORKERS is over 1 with SQLite: set DATABASE_URL to a postgres:// address, or leave WORKERS at 1.')
  }
  const smtpUrl = read.url('SMTP_URL', ['smtp:', 'smtps:'])
  const smtpUrlProblem = smtpUrl === undefined ? undefined : findSmtpUrlProblem(smtpUrl)
  if (smtpUrlProblem !== undefined) problems.push(`SMTP_URL ${smtpUrlProblem}.`)
  if (smtpUrl === undefined && !local) {
    problems.push(
      'SMTP_URL is missing: only on localhost can letters be kept in /dev/mailbox. Set it to smtp://user:password@host:587.',
    )
  }
  const host = environment.HOST || (local ? 'localhost' : '0.0.0.0')
  if (smtpUrl === undefined && local && !isLoopback(host)) {
    problems.push(
      `HOST is ${host}, so other machines could read the emails in /dev/mailbox. Set HOST to localhost, or set SMTP_URL.`,
    )
  }
  const auditRetentionDays = environment.AUDIT_RETENTION_DAYS
    ? read.integer('AUDIT_RETENTION_DAYS', 0, 1, 36_500)
    : undefined
  const metricsPort = environment.METRICS_PORT ? read.integer('METRICS_PORT', 0, 0, 65_535) : undefined
  if (metricsPort === port && port !== 0) {
    problems.push(`METRICS_PORT is ${port}, and so is PORT: set them to two different ports.`)
  }
  const mailFrom = environment.MAIL_FROM || `Accounts <accounts@${new URL(baseUrl).hostname}>`
  const mailFromProblem = findMailFromProblem(mailFrom)
  if (mailFromProblem !== undefined) problems.push(mailFromProblem)
  const config: Config = {
    baseUrl,
    relyingPartyId: readRelyingPartyId(environment, baseUrl, problems),
    port,
    host,
    database,
    ...readSecrets(environment, database.engine === 'sqlite' ? database.path : undefined, problems),
    mailFrom,
    returnToOrigins: read.origins('RETURN_TO_ORIGINS', baseUrl),
    trustedOrigins: read.origins('TRUSTED_ORIGINS', baseUrl),
    trustedProxyCount: read.integer('TRUST_PROXY', 0, 0, 10),
    passwordMinLength: read.integer('PASSWORD_MIN_LENGTH', 8, 8, 128),
    organizationCreation: read.choice('ORGANIZATION_CREATION', ['verified', 'staff']),
    organizationInvitationsPerDay: read.integer('ORGANIZATION_INVITATIONS_PER_DAY', 1_000, 1, 1_000_000),
    organizationsPerUser: read.integer('ORGANIZATIONS_PER_USER', 1_000, 1, 1_000_000),
    sessionsPerUser: read.integer('SESSIONS_PER_USER', 1_000, 1, 10_000),
    jwtKeyBits: read.integer('JWT_KEY_BITS', 2048, 2048, 8192),
    logLevel: read.choice('LOG_LEVEL', ['info', 'debug', 'warn', 'error', 'silent']),
    workerCount,
    limits: readLimits(read),
    ...(smtpUrl !== undefined && { smtpUrl }),
    ...(metricsPort !== undefined && { metricsPort }),
    ...(auditRetentionDays !== undefined && { auditRetentionDays }),
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

/** Whether the service is being tried on the machine it runs on: letters may be kept, http is fine. */
export function isLocal(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '127.0.0.1' || hostname === '[::1]'
}

/** Browsers take a domain that the page is on, or a parent of it (WebAuthn, section 5.1.3); a top-level domain is none. */
function readRelyingPartyId(environment: Environment, baseUrl: string, problems: string[]): string {
  const { hostname } = new URL(baseUrl)
  const id = environment.RP_ID || hostname
  const isParent = id.includes('.') && /[a-z]/i.test(hostname) && hostname.endsWith(`.${id}`)
  if (id !== hostname && !isParent) {
    problems.push(
      `RP_ID is "${id}", but passkeys made at ${baseUrl} can only be for ${hostname} or a parent domain of it. Set it to one of these, or leave it out.`,
    )
  }
  return id
}

function readLimits(read: EnvironmentReader): Config['limits'] {
  return {
    networkGuesses: read.integer('NETWORK_GUESSES_PER_5_MINUTES', 30, 1, 1_000_000),
    accountGuesses: read.integer('ACCOUNT_GUESSES_PER_15_MINUTES', 20, 1, 1_000_000),
    networkEmails: read.integer('NETWORK_EMAIL_REQUESTS_PER_5_MINUTES', 100, 1, 1_000_000),
    userChanges: read.integer('USER_CHANGES_PER_MINUTE', 6_000, 1, 1_000_000),
    networkChanges: read.integer('NETWORK_CHANGES_PER_MINUTE', 1_000, 1, 1_000_000),
  }
}

function readDatabase(read: EnvironmentReader, problems: string[]): Config['database'] {
  const url = read.url('DATABASE_URL', ['sqlite:', 'postgres:', 'postgresql:']) ?? 'sqlite:./data/accounts.db'
  if (!url.startsWith('sqlite:')) return { engine: 'postgres', url }
  const path = resolve(url.slice('sqlite:'.length))
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    problems.push(`DATABASE_URL names the folder ${path}: add the name of a file, such as sqlite:./data/accounts.db.`)
  }
  return { engine: 'sqlite', path }
}
