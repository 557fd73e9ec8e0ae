import type { PlatformContext } from '../../platform/context.ts'
import type { OrganizationRow } from '../../platform/database/tables.ts'
import type { Caller } from './caller.ts'
import { assertFreshSession } from './freshness.ts'
import { assertSecondStep } from './two-step-policy.ts'

/**
 * For a change that gives permissions in an organization, or takes protection away. A fresh session without the second step
 * that tokens for the organization need could make an API key, which needs none.
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
