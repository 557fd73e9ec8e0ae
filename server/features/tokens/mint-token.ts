import type { Membership } from '../../core/access/access.ts'
import type { AuthenticatedApiKey } from '../../core/access/api-key.ts'
import type { Caller } from '../../core/access/caller.ts'
import { listAuthenticationMethods } from '../../core/access/second-step.ts'
import { isStaff } from '../../core/access/staff-permissions.ts'
import type { Context } from '../../core/context.ts'
import { clientCodeOf } from '../../core/organizations/client-code.ts'
import { type JwtKey, signJwt } from '../../platform/crypto/sign-jwt.ts'
import { newToken } from '../../platform/crypto/tokens.ts'
import type { OrganizationRole, OrganizationRow } from '../../platform/database/tables.ts'
import { countToken } from './count-token.ts'
import { newSessionTokenId } from './session-token-id.ts'

/** Services must check this audience. */
export const AUDIENCE = 'accounts-services'
export const TOKEN_LIFETIME_SECONDS = 900

export function claimsOfOrganization(organization: OrganizationRow): Record<string, unknown> {
  return {
    org_id: organization.id,
    org_slug: organization.slug,
    org_meta: { 'client-code': clientCodeOf(organization) },
  }
}

export interface TokenSubject {
  id: string
  name: string
  email: string | null
  isStaff: boolean
  role: OrganizationRole
  impersonatedBy: string | null
  /** Undefined for an API key. */
  signIn?: { sessionId: string; methods: string[]; at: number }
}

export function subjectOfMember({ user, session }: Caller, { member }: Membership): TokenSubject {
  const { id, name, email } = user
  const { id: sessionId, impersonatedBy, createdAt } = session
  const signIn = { sessionId, methods: listAuthenticationMethods(session), at: createdAt }
  return { id, name, email, isStaff: isStaff(user), role: member.role, impersonatedBy, signIn }
}

export function subjectOfApiKey({ key }: AuthenticatedApiKey): TokenSubject {
  return { id: key.id, name: key.name, email: null, isStaff: false, role: key.role, impersonatedBy: null }
}

export async function mintToken(
  context: Context,
  key: JwtKey,
  subject: TokenSubject,
  organization: OrganizationRow,
): Promise<string> {
  const issuedAtSeconds = Math.floor(context.now() / 1000)
  const claims = {
    iss: context.config.baseUrl,
    aud: AUDIENCE,
    sub: subject.id,
    email: subject.email,
    name: subject.name,
    ...claimsOfOrganization(organization),
    org_role: subject.role,
    is_staff: subject.isStaff,
    ...(subject.signIn && { amr: subject.signIn.methods, auth_time: Math.floor(subject.signIn.at / 1000) }),
    // RFC 8693, section 4.1: `sub` is the impersonated user, and `act` the impersonator.
    ...(subject.impersonatedBy !== null && { act: { sub: subject.impersonatedBy } }),
    iat: issuedAtSeconds,
    exp: issuedAtSeconds + TOKEN_LIFETIME_SECONDS,
    jti: subject.signIn ? newSessionTokenId(context, subject.signIn.sessionId) : newToken(context),
  }
  const token = await signJwt(key, 'JWT', claims)
  countToken(context, organization)
  return token
}
