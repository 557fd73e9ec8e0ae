import type { Config } from '../../platform/config/config.ts'
import type { ClientNetworks } from '../../platform/http/client-address.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../platform/time/time-units.ts'
import { type Budget, PASSWORD_KIND } from './counters.ts'

export const NETWORK_WINDOW_MILLISECONDS = 5 * MINUTE_MILLISECONDS
export const ACCOUNT_WINDOW_MILLISECONDS = 15 * MINUTE_MILLISECONDS
export const CHANGE_WINDOW_MILLISECONDS = MINUTE_MILLISECONDS
export const REGISTRATION_WINDOW_MILLISECONDS = HOUR_MILLISECONDS
export const INVITATION_WINDOW_MILLISECONDS = DAY_MILLISECONDS
/** An IPv6 /48 gets this many times the limit of one network, because a site uses several of its networks. */
export const NETWORKS_PER_SITE = 3

/** `describeLimits` explains each name. */
export type RateLimitName = 'none' | 'guess' | 'mail' | 'change' | 'list' | 'slow list' | 'guess and list'
type Limits = Config['limits']

export interface PasswordBudgets {
  /** The budget of the account, a known device or a session. A right password restores it. */
  own: Budget
  /** The budgets of the client's network. A right password is not charged to them. */
  networks: Budget[]
  /** Charged for a wrong password, but never the reason for a refusal. */
  alsoCharged: Budget[]
}

/** @param accountKey equal for every spelling of the account's email address */
export function accountBudget({ accountGuesses }: Limits, accountKey: string): Budget {
  return passwordBudget(accountGuesses, `account ${accountKey}`)
}

/** @param expiresAt of the known device, equal for every cookie that it gets until the user signs in on it again */
export function deviceBudget({ accountGuesses }: Limits, userId: string, expiresAt: number): Budget {
  return passwordBudget(accountGuesses, `device ${userId} ${expiresAt}`)
}

export function sessionBudget({ accountGuesses }: Limits, sessionId: string): Budget {
  return passwordBudget(accountGuesses, `session ${sessionId}`)
}

function passwordBudget(limit: number, key: string): Budget {
  return { key: `${PASSWORD_KIND} ${key}`, limit, windowMilliseconds: ACCOUNT_WINDOW_MILLISECONDS }
}

export function passwordNetworkBudgets({ networkGuesses }: Limits, from: ClientNetworks): Budget[] {
  return networkBudgets(PASSWORD_KIND, networkGuesses, NETWORK_WINDOW_MILLISECONDS, from)
}

/** One budget per route, apart from passwords: an old job with a revoked API key must not lock out an office. */
export function secretBudgets({ networkGuesses }: Limits, path: string, from: ClientNetworks): Budget[] {
  return networkBudgets(`secret ${path}`, networkGuesses, NETWORK_WINDOW_MILLISECONDS, from)
}

/** All routes that take the code of a device share one budget: a user must not go on guessing at another route. */
export function userCodeBudget({ accountGuesses }: Limits, userId: string): Budget {
  return userBudget('secret /api/auth/device', accountGuesses, ACCOUNT_WINDOW_MILLISECONDS, userId)
}

export function mailBudgets({ networkEmails }: Limits, path: string, payer: string | ClientNetworks): Budget[] {
  const kind = `mail ${path}`
  return typeof payer === 'string'
    ? [userBudget(kind, networkEmails, NETWORK_WINDOW_MILLISECONDS, payer)]
    : networkBudgets(kind, networkEmails, NETWORK_WINDOW_MILLISECONDS, payer)
}

export function changeBudgets({ userChanges, networkChanges }: Limits, payer: string | ClientNetworks): Budget[] {
  return typeof payer === 'string'
    ? [userBudget('change', userChanges, CHANGE_WINDOW_MILLISECONDS, payer)]
    : networkBudgets('change', networkChanges, CHANGE_WINDOW_MILLISECONDS, payer)
}

/**
 * An app in a loop must not use up the changes of its user, who could not revoke it then. A user has at most 5,000
 * grants, each of which is refreshed about every 15 minutes.
 */
export function refreshBudgets({ userChanges }: Limits, userId: string): Budget[] {
  return [userBudget('change /api/auth/oauth2/token', userChanges, CHANGE_WINDOW_MILLISECONDS, userId)]
}

/** One network must not use up the maximum number of OAuth clients of the service. */
export function registrationBudgets({ networkRegistrations }: Limits, from: ClientNetworks): Budget[] {
  return networkBudgets('registration', networkRegistrations, REGISTRATION_WINDOW_MILLISECONDS, from)
}

/** A user can make any number of organizations, each of which has a limit of its own. */
export function invitationBudgets({ userInvitations }: Limits, userId: string): Budget[] {
  return [userBudget('invitation', userInvitations, INVITATION_WINDOW_MILLISECONDS, userId)]
}

function userBudget(kind: string, limit: number, windowMilliseconds: number, userId: string): Budget {
  return { key: `${kind} user ${userId}`, limit, windowMilliseconds }
}

function networkBudgets(kind: string, limit: number, windowMilliseconds: number, from: ClientNetworks): Budget[] {
  const network = { key: `${kind} network ${from.network}`, limit, windowMilliseconds }
  if (from.site === undefined) return [network]
  return [network, { key: `${kind} site ${from.site}`, limit: limit * NETWORKS_PER_SITE, windowMilliseconds }]
}

/** Lists of one user that a process reads or sends concurrently. The longest list has 10 MB. */
export const CONCURRENT_LISTS_MAXIMUM = 4
export const LIST_BYTES_PER_CHANGE = 65_536

export function describeLimits(limits: Limits) {
  const { networkGuesses, accountGuesses, networkEmails, userChanges, networkChanges } = limits
  const perSite = (limit: number) =>
    `${limit} from one network (IPv4 address or IPv6 /64), ${limit * NETWORKS_PER_SITE} from an IPv6 /48`
  const lists = `each ${LIST_BYTES_PER_CHANGE / 1024} KiB of the response count as a change; ${CONCURRENT_LISTS_MAXIMUM} of one user concurrently`
  const guess = `wrong guesses in 5 minutes at this route: ${perSite(networkGuesses)}; wrong passwords for one account, or wrong codes of devices by one user, in 15 minutes: ${accountGuesses}`
  return {
    none: 'none',
    guess,
    mail: `requests in 5 minutes: ${networkEmails} of one user; without a session, ${perSite(networkEmails)}`,
    change: `requests in a minute, all routes together: ${userChanges} of one user; without a session, ${perSite(networkChanges)}`,
    list: lists,
    'slow list': `${lists}; each request counts as a change`,
    'guess and list': `${guess}; ${lists}`,
  } satisfies Record<RateLimitName, string>
}
