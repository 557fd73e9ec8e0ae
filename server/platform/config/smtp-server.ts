import { isIPv4 } from 'node:net'
import type { Options } from 'nodemailer/lib/smtp-connection'
import type { Config } from './config.ts'
import { isDecodable } from './is-decodable.ts'
import { hostOf, isLocal, isLoopback } from './loopback.ts'
import { withoutPassword } from './without-password.ts'

export interface SmtpServer extends Options {
  auth?: { user: string; pass: string }
  /** The limit of a check for a connection, which a firewall may block in silence. The greeting may take longer. */
  connectMilliseconds: number
  /** The limit for connecting, for signing in, and for sending one email. */
  deadlineMilliseconds: number
  /** After the deadline, the further limit for the response to the content of an email. */
  answerMilliseconds: number
}

/** Some servers check the content before they respond (RFC 5321, section 4.5.3.2.6). */
const ANSWER_MILLISECONDS = 600_000

/** A server may look up our name first, which takes half a minute without a reverse DNS entry. */
const GREETING_MILLISECONDS = 40_000

const TIMEOUTS = {
  dnsTimeout: 10_000,
  // The library counts the wait for the greeting and STARTTLS here too.
  connectionTimeout: GREETING_MILLISECONDS,
  greetingTimeout: GREETING_MILLISECONDS,
  // The deadlines end first. A server that sends one byte every few seconds never reaches this limit.
  socketTimeout: 2 * ANSWER_MILLISECONDS,
  socketCloseTimeout: 1_000,
  connectMilliseconds: 10_000,
  deadlineMilliseconds: 45_000,
  answerMilliseconds: ANSWER_MILLISECONDS,
}

/** Includes old encryption: a server that requires encryption would otherwise refuse all emails. */
const UNVERIFIED_TLS = {
  opportunisticTLS: true,
  tls: { rejectUnauthorized: false, minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' },
} as const

export function findSmtpServer({ smtpUrl, baseUrl }: Pick<Config, 'smtpUrl' | 'baseUrl'>): SmtpServer | undefined {
  return smtpUrl === undefined ? undefined : { ...parseSmtpUrl(smtpUrl), name: findClientName(baseUrl) }
}

/** EHLO (RFC 5321, section 4.1.1.1). In a container, the library says `[127.0.0.1]`, which some servers refuse. */
function findClientName(baseUrl: string): string | undefined {
  const { hostname } = new URL(baseUrl)
  const isDomain = hostname.includes('.') && !isIPv4(hostname)
  return isDomain && !isLocal(baseUrl) ? hostname : undefined
}

/** STARTTLS is required: an attacker on the network can remove the server's offer of it (RFC 3207, section 6). */
export function parseSmtpUrl(smtpUrl: string): SmtpServer {
  const url = new URL(smtpUrl)
  const { protocol, port, username, password, searchParams } = url
  const host = hostOf(url).toLowerCase()
  const hasCredentials = username !== '' || password !== ''
  const secure = protocol === 'smtps:'
  const mayBePlain = isLoopback(host) || (searchParams.get('tls') === 'optional' && !hasCredentials)
  return {
    ...TIMEOUTS,
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && !mayBePlain,
    // A mail server on this machine often has a self-signed certificate, and no attacker is between.
    ...(!secure && isLoopback(host) && !hasCredentials && UNVERIFIED_TLS),
    ...(hasCredentials && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
  }
}

/** An unescaped # or / in the password would end the host. */
export const SMTP_URL_FORM =
  'Write it as smtp://user:password@host:587, special characters of the user and the password in percent-encoding (# is %23, / is %2F, ? is %3F, @ is %40), and a port up to 65535'

/** @returns the problem, without the URL, which may contain a password */
export function findSmtpUrlProblem(smtpUrl: string): string | undefined {
  const { hostname, username, password, pathname, hash, searchParams } = new URL(smtpUrl)
  if (hostname === '') return 'names no host'
  if (![username, password].every(isDecodable)) return 'has a % that is no encoded character: write it as %25'
  if ((username === '') !== (password === ''))
    return 'has a user without a password, or a password without a user: write both, or neither'
  const hasOthers = [...searchParams].some(([name, value]) => name !== 'tls' || value !== 'optional')
  if (!['', '/'].includes(pathname) || hash !== '' || hasOthers)
    return `has something after the host and port: only ?tls=optional may follow. ${SMTP_URL_FORM}`
  return undefined
}

/** Many mail servers refuse other characters than ASCII before the @. Every domain has a name in ASCII. */
const ADDRESS = '[^\\s<>@,;:"\\P{ASCII}]+@[^\\s<>@,;"]+'
/** Outside of quotes, these characters separate addresses, or name a group of them. */
const NAME = '[^<>\\p{Cc}",:;()@\\\\]*'
const QUOTED_NAME = '"[^<>\\p{Cc}"\\\\]*" ?'
const SENDER = new RegExp(`^(?:(?:${NAME}|${QUOTED_NAME})<${ADDRESS}>|${ADDRESS})$`, 'u')

/** A line break in the sender could add recipients. */
export function findMailFromProblem(mailFrom: string): string | undefined {
  if (SENDER.test(mailFrom)) return undefined
  return `MAIL_FROM is ${JSON.stringify(withoutPassword(mailFrom))}: write one address, such as Accounts <accounts@example.com>, with ASCII before the @. A name with a comma or another of ,:;()@ needs quotes: '"Works, Inc." <accounts@example.com>' in .env.`
}
