import type { Config } from '../../platform/config/config.ts'
import { hashToken } from '../../platform/crypto/tokens.ts'
import { networksOf } from '../../platform/http/client-address.ts'
import { accountBudget, deviceBudget, type PasswordBudgets, passwordBudgets, sessionBudget } from '../access/limits.ts'

/**
 * The budgets of a sign-in: a known device has its own, so that guesses from elsewhere can't lock the user out of it.
 * @param knownDevice from `findKnownDevice`
 */
export function budgetsOfSignIn(
  { limits }: Config,
  email: string,
  userId: string | undefined,
  knownDevice: string | undefined,
  ipAddress: string | null,
): PasswordBudgets {
  if (userId !== undefined && knownDevice !== undefined)
    return { own: deviceBudget(limits, userId, knownDevice), networks: [], alsoCharged: [] }
  const networks = passwordBudgets(limits, networksOf(ipAddress))
  return { own: accountBudget(limits, hashToken(email)), networks, alsoCharged: [] }
}

/** A wrong password in a session counts against sign-in too (CVE-2026-43914), but not the other way round. */
export function budgetsOfSession({ limits }: Config, sessionId: string, email: string): PasswordBudgets {
  const alsoCharged = [accountBudget(limits, hashToken(email))]
  return { own: sessionBudget(limits, sessionId), networks: [], alsoCharged }
}
