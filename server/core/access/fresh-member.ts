import type { PlatformContext } from '../../platform/context.ts'
import type { OrganizationRow } from '../../platform/database/tables.ts'
import type { Caller } from './caller.ts'
import { assertFreshSession } from './freshness.ts'
import { assertSecondStep } from './two-step-policy.ts'

/**
 * For changes that give permissions in an organization, or take protection away. An API key needs no second step, so a
 * session without the second step must not create an API key.
 * @throws ApiError SESSION_NOT_FRESH; TWO_FACTOR_REQUIRED
 */
export function assertFreshMember(
  context: Pick<PlatformContext, 'config' | 'now'>,
  caller: Caller,
  organization: Pick<OrganizationRow, 'id' | 'requireTwoFactor'>,
): void {
  assertFreshSession(context, caller)
  assertSecondStep(context.config, caller, organization)
}
