import type { Config } from '../../platform/config/config.ts'
import type { OrganizationRow, SessionRow, UserRow } from '../../platform/database/tables.ts'
import { ApiError, type RefusedSubject } from '../../platform/http/errors.ts'
import type { AuthenticatedSession } from './caller.ts'
import { hasSecondStep } from './second-step.ts'
import { isStaff } from './staff-permissions.ts'

type Policy = Pick<Config, 'requireTwoFactor' | 'baseUrl'>

/** The setting of the service. An organization may require a second step of its members too. */
export function isTwoStepRequiredOf({ requireTwoFactor }: Policy, user: Pick<UserRow, 'role'>): boolean {
  return requireTwoFactor === 'all' || (requireTwoFactor === 'staff' && isStaff(user))
}

/** For staff routes. @throws ApiError TWO_FACTOR_REQUIRED */
export function assertSecondStepOfStaff(policy: Policy, { user, session }: AuthenticatedSession): void {
  if (isTwoStepRequiredOf(policy, user)) assertHasSecondStep(policy, session)
}

/** @param organization whose audit log gets the refusal @throws ApiError TWO_FACTOR_REQUIRED */
export function assertSecondStep(
  policy: Policy,
  { user, session }: AuthenticatedSession,
  organization: Pick<OrganizationRow, 'id' | 'requireTwoFactor'> | undefined,
): void {
  if (isSecondStepRequired(policy, { user, session }, organization))
    assertHasSecondStep(policy, session, organization && { organizationId: organization.id })
}

export function lacksSecondStepForToken(
  policy: Policy,
  { user, session }: AuthenticatedSession,
  organization: Pick<OrganizationRow, 'requireTwoFactor'> | undefined,
): boolean {
  return isSecondStepRequired(policy, { user, session }, organization) && !hasSecondStep(session)
}

/** The impersonator is staff, and the session has the impersonator's methods. */
function isSecondStepRequired(
  policy: Policy,
  { user, session }: AuthenticatedSession,
  organization: Pick<OrganizationRow, 'requireTwoFactor'> | undefined,
): boolean {
  const isImpersonatedByStaff = policy.requireTwoFactor === 'staff' && session.impersonatedBy !== null
  return organization?.requireTwoFactor === 1 || isImpersonatedByStaff || isTwoStepRequiredOf(policy, user)
}

/** @throws ApiError TWO_FACTOR_REQUIRED */
export function assertHasSecondStep({ baseUrl }: Policy, session: SessionRow, about?: RefusedSubject): void {
  if (hasSecondStep(session)) return
  const url = `${baseUrl}/account/security`
  const message = `Two-step verification is required here. Sign in with a passkey or a code, or set it up at ${url}.`
  throw new ApiError('TWO_FACTOR_REQUIRED', { message, url, ...(about && { about }) })
}
