import type { Kysely } from 'kysely'
import type { Config } from '../../platform/config/config.ts'
import type { Tables } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import type { AuthenticatedSession } from '../access/caller.ts'
import { hasSecondStep } from '../access/second-step.ts'
import { listPasskeysOfUser } from '../credentials/passkey-store.ts'
import { listTwoStepRequirements } from '../organizations/list-two-step-requirements.ts'

const MESSAGE =
  "Use your passkey first: where two-step verification is required, a password alone can't change the ways to sign in. If the passkey is lost, reset your password, and remove the passkey there."

/**
 * A stolen password must not be enough to add a passkey of the thief. The first passkey needs no other one.
 * @throws ApiError TWO_FACTOR_REQUIRED
 */
export async function assertMayChangeFactors(
  transaction: Kysely<Tables>,
  config: Config,
  { user, session }: AuthenticatedSession,
): Promise<void> {
  if (hasSecondStep(session)) return
  const requirements = await listTwoStepRequirements({ config, database: transaction }, user)
  if (requirements.length === 0) return
  const passkeys = await listPasskeysOfUser(transaction, user.id)
  if (passkeys.length > 0) throw new ApiError('TWO_FACTOR_REQUIRED', { message: MESSAGE })
}
