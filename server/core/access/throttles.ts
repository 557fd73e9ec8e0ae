import type { Config } from '../../platform/config/config.ts'
import { NETWORKS_PER_SITE } from './limits.ts'

type Limits = Config['limits']

/** The parts of a key. Each key is made in `limits.ts`. */
export interface Throttled {
  /** The counted events: wrong passwords, wrong secrets, requests for emails, changes, or registrations of clients. */
  kind: 'password' | 'secret' | 'mail' | 'change' | 'registration'
  /** The path of the route whose uses are counted apart; null for all routes together. */
  route: string | null
  holder: 'account' | 'device' | 'session' | 'user' | 'network' | 'site'
  /** The id, the network, or the hash of an email address. */
  id: string
}

const KEY = /^(password|secret|mail|change|registration)(?: (\/\S*))? (account|device|session|user|network|site) (.+)$/

export function parseThrottleKey(key: string): Throttled | undefined {
  const [, kind, route = null, holder, id = ''] = KEY.exec(key) ?? []
  return kind && holder ? ({ kind, route, holder, id } as Throttled) : undefined
}

/** A pattern of SQL's `like` for each sort of key, with its limit. */
export function listThrottleLimits(limits: Limits): { pattern: string; limit: number }[] {
  const { networkGuesses, accountGuesses, networkEmails, userChanges, networkChanges, networkRegistrations } = limits
  const ofNetworks = (kind: string, limit: number) => [
    { pattern: `${kind} network %`, limit },
    { pattern: `${kind} site %`, limit: limit * NETWORKS_PER_SITE },
  ]
  return [
    ...['account', 'device', 'session'].map((holder) => ({ pattern: `password ${holder} %`, limit: accountGuesses })),
    ...ofNetworks('password', networkGuesses),
    ...ofNetworks('secret /%', networkGuesses),
    { pattern: 'mail /% user %', limit: networkEmails },
    ...ofNetworks('mail /%', networkEmails),
    { pattern: 'change user %', limit: userChanges },
    ...ofNetworks('change', networkChanges),
    ...ofNetworks('registration', networkRegistrations),
  ]
}
