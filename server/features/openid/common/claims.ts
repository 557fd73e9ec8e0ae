import type { Membership } from '../../../core/access/access.ts'
import type { AuthenticatedSession } from '../../../core/access/caller.ts'
import { hasSecondStep, listAuthenticationMethods } from '../../../core/access/second-step.ts'
import { isStaff } from '../../../core/access/staff-permissions.ts'
import type { SessionRow } from '../../../platform/database/tables.ts'
import { isSmallPicture } from '../../../platform/http/small-picture.ts'
import { claimsOfOrganization } from '../../tokens/mint-token.ts'
import { CLAIMS_OF_SCOPES, ONE_STEP, TWO_STEP } from './scopes.ts'

export function acrOf(session: SessionRow): string {
  return hasSecondStep(session) ? TWO_STEP : ONE_STEP
}

export interface SessionOfToken extends SessionRow {
  /** When the user signed in before the token was given. The session may have started later, by a further sign-in. */
  signedInAt?: number
}

export function authTimeOf({ createdAt, signedInAt = createdAt }: SessionOfToken): number {
  return Math.floor(signedInAt / 1000)
}

/** The library removes the claims that the scopes do not include. */
export function claimsOfUser(
  { user, session }: AuthenticatedSession,
  membership: Membership | undefined,
): Record<string, unknown> {
  return {
    name: user.name,
    ...(isPicture(user.image) && { picture: user.image }),
    updated_at: Math.floor(user.updatedAt / 1000),
    email: user.email,
    email_verified: user.emailVerified === 1,
    ...claimsOfSession(session),
    ...(membership && claimsOfMember({ user, session }, membership)),
  }
}

/** Earlier versions stored pictures that hang the browser of an app. */
function isPicture(image: string | null): boolean {
  return image !== null && (!image.startsWith('data:') || isSmallPicture(image))
}

export function claimsOfSession(session: SessionOfToken): Record<string, unknown> {
  return {
    amr: listAuthenticationMethods(session),
    auth_time: authTimeOf(session),
    acr: acrOf(session),
    // RFC 8693, section 4.1: `sub` is the impersonated user, and `act` the impersonator.
    ...(session.impersonatedBy !== null && { act: { sub: session.impersonatedBy } }),
  }
}

function claimsOfMember({ user }: AuthenticatedSession, { organization, member }: Membership): Record<string, unknown> {
  return { ...claimsOfOrganization(organization), org_role: member.role, is_staff: isStaff(user) }
}

/** Access tokens with the scope `organization` have these claims of `/api/token`, and others have none of them. */
export const TOKEN_CLAIMS = ['name', 'email', ...CLAIMS_OF_SCOPES.organization]

export function pickTokenClaims(all: Record<string, unknown>, scopes: string[]): Record<string, unknown> {
  if (!scopes.includes('organization')) return {}
  return Object.fromEntries(TOKEN_CLAIMS.map((name) => [name, all[name]]))
}
