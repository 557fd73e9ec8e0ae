import { configProblemsOf } from './config-problems.ts'
import { type Environment, EnvironmentReader } from './environment-reader.ts'
import { isLocal } from './loopback.ts'
import { type Brand, readBrand } from './read-brand.ts'
import { readDatabase } from './read-database.ts'
import { readSecrets, type Secrets } from './read-secrets.ts'
import { readServices, type Service } from './read-services.ts'
import { listMisspelt } from './setting-names.ts'
import { SMTP_URL_FORM } from './smtp-server.ts'

export type Engine = Config['database']['engine']

export interface Config extends Secrets {
  /** Without a trailing slash. Links and the JWT issuer begin with it. */
  baseUrl: string
  /** The domain of passkeys: the host of BASE_URL, or a parent domain of it. */
  relyingPartyId: string
  port: number
  host: string
  database: { engine: 'sqlite'; path: string } | { engine: 'postgres'; url: string }
  /** Undefined only on localhost: the dev mailbox then shows the emails. */
  smtpUrl: string | undefined
  mailFrom: string
  brand: Brand
  /** Their origins are in `returnToOrigins` too. */
  services: Service[]
  /** Services that a `next` or callback URL may name, and that may call the routes with `otherOrigins`. */
  returnToOrigins: string[]
  /** Our front-ends on other origins, which may call every route. */
  trustedOrigins: string[]
  /** Proxies in front of the service whose headers give the address of the client; 0 trusts the socket alone. */
  trustedProxyCount: number
  passwordMinLength: number
  /** The users whose sessions need a second step for tokens. Staff need it for staff routes, too. */
  requireTwoFactor: 'none' | 'staff' | 'all'
  organizationCreation: 'verified' | 'staff'
  allowClientRegistration: boolean
  organizationInvitationsPerDay: number
  organizationsPerUser: number
  sessionsPerUser: number
  jwtKeyBits: number
  /** Undefined purges no audit events. */
  auditRetentionDays: number | undefined
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  workerCount: number
  limits: {
    /** Wrong passwords of one network in 5 minutes, and wrong secrets of one network at each route. */
    networkGuesses: number
    /** Wrong passwords for one user in 15 minutes. Each known device and each session has as many of its own. */
    accountGuesses: number
    /** Requests in 5 minutes to each route that sends emails, of one network, or of one user with a session. */
    networkEmails: number
    /** Requests of one user in a minute that change something. */
    userChanges: number
    /** Requests of one network in a minute that change something without a session. */
    networkChanges: number
    /** OAuth clients that register themselves from one network in an hour. */
    networkRegistrations: number
    /** Invitations by one user in 24 hours, in all organizations. */
    userInvitations: number
  }
  /** Undefined serves no /metrics. */
  metricsPort: number | undefined
}

/** A user may send this many times the invitations of one organization, because a user may manage several. */
const ORGANIZATIONS_PER_INVITER = 5

/** Names every problem of the environment, so that an operator solves them in one go. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  problems: string[]
  constructor(problems: string[]) {
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
    super([`The configuration has ${count}:`, ...problems.map((problem) => `  - ${problem}`)].join('\n'))
    this.problems = problems
  }
}

/** Writes nothing. @throws ConfigError with every problem and its solution */
export function readConfig(environment: Environment): Config {
  const problems = listMisspelt(environment)
  const read = new EnvironmentReader(environment, problems)
  const port = read.integer('PORT', 3000, 0, 65_535)
  const baseUrl = read.origin('BASE_URL', `http://localhost:${port}`)
  const { hostname } = new URL(baseUrl)
  const database = readDatabase(read)
  const brand = readBrand(read)
  const services = readServices(read, baseUrl)
  const organizationInvitationsPerDay = read.integer('ORGANIZATION_INVITATIONS_PER_DAY', 1_000, 1, 1_000_000)
  const config: Config = {
    baseUrl,
    relyingPartyId: environment.RP_ID || hostname,
    port,
    host: read.host('HOST', isLocal(baseUrl) ? 'localhost' : '0.0.0.0'),
    database,
    ...readSecrets(environment, database.engine === 'sqlite' ? database.path : undefined, problems),
    smtpUrl: read.url('SMTP_URL', ['smtp:', 'smtps:'], ` ${SMTP_URL_FORM}.`),
    mailFrom: environment.MAIL_FROM || `"${brand.name}" <accounts@${hostname}>`,
    brand,
    services,
    returnToOrigins: unique([...read.origins('RETURN_TO_ORIGINS', baseUrl), ...services.map(({ origin }) => origin)]),
    trustedOrigins: read.origins('TRUSTED_ORIGINS', baseUrl),
    trustedProxyCount: read.integer('TRUST_PROXY', 0, 0, 10),
    passwordMinLength: read.integer('PASSWORD_MIN_LENGTH', 8, 8, 128),
    requireTwoFactor: read.choice('REQUIRE_TWO_FACTOR', ['none', 'staff', 'all']),
    organizationCreation: read.choice('ORGANIZATION_CREATION', ['verified', 'staff']),
    allowClientRegistration: read.choice('ALLOW_CLIENT_REGISTRATION', ['false', 'true']) === 'true',
    organizationInvitationsPerDay,
    organizationsPerUser: read.integer('ORGANIZATIONS_PER_USER', 1_000, 1, 1_000_000),
    sessionsPerUser: read.integer('SESSIONS_PER_USER', 1_000, 1, 10_000),
    jwtKeyBits: read.integer('JWT_KEY_BITS', 2048, 2048, 8192),
    auditRetentionDays: read.integer('AUDIT_RETENTION_DAYS', undefined, 1, 36_500),
    logLevel: read.choice('LOG_LEVEL', ['info', 'debug', 'warn', 'error', 'silent']),
    workerCount: read.integer('WORKERS', 1, 1, 128),
    limits: readLimits(read, organizationInvitationsPerDay),
    metricsPort: read.integer('METRICS_PORT', undefined, 0, 65_535),
  }
  problems.push(...configProblemsOf({ ...config, ...fittingValues(problems, hostname) }))
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

function readLimits(read: EnvironmentReader, organizationInvitationsPerDay: number): Config['limits'] {
  return {
    networkGuesses: read.integer('NETWORK_GUESSES_PER_5_MINUTES', 30, 1, 1_000_000),
    accountGuesses: read.integer('ACCOUNT_GUESSES_PER_15_MINUTES', 20, 1, 1_000_000),
    networkEmails: read.integer('NETWORK_EMAIL_REQUESTS_PER_5_MINUTES', 100, 1, 1_000_000),
    userChanges: read.integer('USER_CHANGES_PER_MINUTE', 6_000, 1, 1_000_000),
    networkChanges: read.integer('NETWORK_CHANGES_PER_MINUTE', 1_000, 1, 1_000_000),
    networkRegistrations: read.integer('NETWORK_REGISTRATIONS_PER_HOUR', 20, 1, 1_000_000),
    userInvitations: ORGANIZATIONS_PER_INVITER * organizationInvitationsPerDay,
  }
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)]
}

/** Values that fit the fallback of a wrong or misspelt setting, so that other settings get no false problem. */
function fittingValues(problems: string[], hostname: string): Partial<Config> {
  const isWrong = (name: string) =>
    problems.some((problem) => problem.startsWith(`${name} `) || problem.includes(`Did you mean ${name}?`))
  return {
    ...(isWrong('BASE_URL') && { relyingPartyId: hostname, host: 'localhost' }),
    ...(isWrong('DATABASE_URL') && { workerCount: 1 }),
    ...(isWrong('SMTP_URL') && { smtpUrl: 'smtp://localhost' }),
  }
}
