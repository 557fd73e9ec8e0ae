import type { Config } from '../../platform/config/config.ts'
import { hashToken } from '../../platform/crypto/tokens.ts'
import { networksOf } from '../../platform/http/client-address.ts'
import type { Budget } from '../access/counters.ts'
import { accountBudget, deviceBudget, type PasswordBudgets, passwordBudgets, sessionBudget } from '../access/limits.ts'

/**
 * The budgets of a sign-in: a known device has its own, so that guesses from elsewhere can't lock the user out of it.
 * @param knownDevice the hash of its cookie
 */
export function budgetsOfSignIn(
  config: Config,
  email: string,
  userId: string | undefined,
  knownDevice: string | undefined,
  ipAddress: string | null,
): PasswordBudgets {
  const { limits } = config
  if (userId !== undefined && knownDevice !== undefined)
    return { own: deviceBudget(limits, userId, knownDevice), networks: [], alsoCharged: [] }
  const networks = passwordBudgets(limits, networksOf(ipAddress))
  return { own: budgetOfAccount(config, email), networks, alsoCharged: [] }
}

/** The budget of browsers that are not known. */
export function budgetOfAccount({ limits }: Config, email: string): Budget {
  return accountBudget(limits, hashToken(email))
}

/** A wrong password in a session counts against sign-in too (CVE-2026-43914), but not the other way round. */
export function budgetsOfSession(config: Config, sessionId: string, email: string): PasswordBudgets {
  const alsoCharged = [budgetOfAccount(config, email)]
  return { own: sessionBudget(config.limits, sessionId), networks: [], alsoCharged }
}
