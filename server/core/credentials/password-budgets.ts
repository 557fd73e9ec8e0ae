import type { Config } from '../../platform/config/config.ts'
import { hashToken } from '../../platform/crypto/tokens.ts'
import { networksOf } from '../../platform/http/client-address.ts'
import type { KnownDevice } from '../devices/known-device.ts'
import type { Budget } from '../limits/counters.ts'
import {
  accountBudget,
  deviceBudget,
  type PasswordBudgets,
  passwordNetworkBudgets,
  sessionBudget,
} from '../limits/limits.ts'

/**
 * A known device has a budget of its own: guesses from elsewhere can't lock the user out of it. A known network is
 * charged as a network too, or its other clients could learn whose password was reset there.
 */
export function budgetsOfSignIn(
  config: Config,
  email: string,
  userId: string | undefined,
  knownDevice: KnownDevice | undefined,
  ipAddress: string | null,
): PasswordBudgets {
  const { limits } = config
  const networks = passwordNetworkBudgets(limits, networksOf(ipAddress))
  if (userId === undefined || !knownDevice) return { own: budgetOfAccount(config, email), networks, alsoCharged: [] }
  const { isNetwork, expiresAt } = knownDevice
  // A sign-in of any user replaces the cookie of the browser, and so the hash of the device. With the new hash in its
  // key, the budget would be unused again. Support reads the keys, and must not read the network of a user.
  const own = deviceBudget(limits, userId, expiresAt)
  return { own, networks: isNetwork ? networks : [], alsoCharged: [] }
}

/** The budget of browsers and networks that are not known. */
export function budgetOfAccount({ limits }: Config, email: string): Budget {
  return accountBudget(limits, hashToken(email))
}

/** A wrong password in a session counts against sign-in too (CVE-2026-43914), but not the other way round. */
export function budgetsOfSession(config: Config, sessionId: string, email: string): PasswordBudgets {
  const alsoCharged = [budgetOfAccount(config, email)]
  return { own: sessionBudget(config.limits, sessionId), networks: [], alsoCharged }
}
