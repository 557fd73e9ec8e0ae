import type { Config } from '../../platform/config/config.ts'
import {
  ACCOUNT_WINDOW_MILLISECONDS,
  CHANGE_WINDOW_MILLISECONDS,
  INVITATION_WINDOW_MILLISECONDS,
  NETWORK_WINDOW_MILLISECONDS,
  NETWORKS_PER_SITE,
  REGISTRATION_WINDOW_MILLISECONDS,
} from './limits.ts'

type Limits = Config['limits']

export const THROTTLE_KINDS = ['password', 'secret', 'mail', 'change', 'registration', 'invitation'] as const
export const THROTTLE_HOLDERS = ['account', 'device', 'session', 'user', 'network', 'site'] as const

export interface ThrottleKey {
  kind: (typeof THROTTLE_KINDS)[number]
  /** The path of the route whose uses are counted apart; null for all routes together. */
  route: string | null
  holder: (typeof THROTTLE_HOLDERS)[number]
  /** For an account, the hash of its email address. For a device, the user id and the time at which it expires. */
  id: string
}

const KEY = new RegExp(`^(${THROTTLE_KINDS.join('|')})(?: (/\\S*))? (${THROTTLE_HOLDERS.join('|')}) (.+)$`)

export function parseThrottleKey(key: string): ThrottleKey | undefined {
  const [, kind, route = null, holder, id = ''] = KEY.exec(key) ?? []
  return kind && holder ? ({ kind, route, holder, id } as ThrottleKey) : undefined
}

interface ThrottleLimit {
  pattern: string
  limit: number
  windowMilliseconds: number
}

export function listThrottleLimits(limits: Limits): ThrottleLimit[] {
  const { networkGuesses, accountGuesses, networkEmails, userChanges, networkChanges, networkRegistrations } = limits
  const ofAccount = { limit: accountGuesses, windowMilliseconds: ACCOUNT_WINDOW_MILLISECONDS }
  const ofNetworks = (kind: string, limit: number, windowMilliseconds = NETWORK_WINDOW_MILLISECONDS) => [
    { pattern: `${kind} network %`, limit, windowMilliseconds },
    { pattern: `${kind} site %`, limit: limit * NETWORKS_PER_SITE, windowMilliseconds },
  ]
  return [
    ...['account', 'device', 'session'].map((holder) => ({ pattern: `password ${holder} %`, ...ofAccount })),
    ...ofNetworks('password', networkGuesses),
    ...ofNetworks('secret /%', networkGuesses),
    { pattern: 'secret /% user %', ...ofAccount },
    { pattern: 'mail /% user %', limit: networkEmails, windowMilliseconds: NETWORK_WINDOW_MILLISECONDS },
    ...ofNetworks('mail /%', networkEmails),
    { pattern: 'change user %', limit: userChanges, windowMilliseconds: CHANGE_WINDOW_MILLISECONDS },
    { pattern: 'change /% user %', limit: userChanges, windowMilliseconds: CHANGE_WINDOW_MILLISECONDS },
    ...ofNetworks('change', networkChanges, CHANGE_WINDOW_MILLISECONDS),
    ...ofNetworks('registration', networkRegistrations, REGISTRATION_WINDOW_MILLISECONDS),
    { pattern: 'invitation user %', limit: limits.userInvitations, windowMilliseconds: INVITATION_WINDOW_MILLISECONDS },
  ]
}
