import type { RateLimitName } from '../limits/limits.ts'
import type { RequiredOfMember } from './organization-permissions.ts'
import type { StaffPermission } from './staff-permissions.ts'

/** The declaration of every route in its `config`. A route without it stops the start. */
export interface RouteAccess {
  access: Access
  rateLimit: RateLimitName
  impersonated: 'allowed' | 'refused'
  /**
   * Pages of BASE_URL and TRUSTED_ORIGINS may call every route. `allowed`: pages of RETURN_TO_ORIGINS may, too, with
   * credentials. `decided by client`: the OAuth client of the request decides. `public`: pages of every origin may read
   * the response, without credentials. The route sends the header of the response, and `answerCors` that of its
   * preflight.
   */
  otherOrigins?: 'allowed' | 'decided by client' | 'public'
  /** Accepts several session tokens: a client with a stale token must be able to sign in or out. */
  credentials?: 'may disagree'
}

export type Access =
  | 'public'
  | 'anyone'
  | 'session'
  | 'verified session'
  | 'verified session or api key'
  | 'fresh session'
  | 'fresh session or invitation'
  | StaffAccess
  | OrganizationAccess
  | ClientAccess

export interface StaffAccess {
  staff: StaffPermission
  fresh?: true
}

export interface OrganizationAccess {
  organization: RequiredOfMember
  /** The API key or invitation in the request names the organization. Otherwise an id, a slug or the session does. */
  namedBy?: 'api key' | 'invitation'
  fresh?: true
}

/** Required of a member if an organization owns the OAuth client, and of staff if the service owns it. */
export interface ClientAccess {
  client: 'oauth-client.manage'
  fresh?: true
}

export interface AccessRule {
  /** `ignored`: credentials are not read, so the response is the same for all and needs no database. */
  session: 'ignored' | 'optional' | 'required'
  /** The email address must be verified: an unverified one may belong to another user (CVE-2026-53514). */
  verified: boolean
  fresh: boolean
  permission: 'staff' | 'organization' | 'client' | null
  /** The credential that replaces the session. */
  replacedBy: 'api key' | 'invitation' | null
}

type AccessName = Extract<Access, string> | `${'' | 'fresh '}${'staff' | 'organization' | 'client'}`

export const ACCESS_RULES: Record<AccessName, AccessRule> = {
  public: { session: 'ignored', verified: false, fresh: false, permission: null, replacedBy: null },
  anyone: { session: 'optional', verified: false, fresh: false, permission: null, replacedBy: null },
  session: { session: 'required', verified: false, fresh: false, permission: null, replacedBy: null },
  'verified session': { session: 'required', verified: true, fresh: false, permission: null, replacedBy: null },
  'verified session or api key': {
    session: 'required',
    verified: true,
    fresh: false,
    permission: null,
    replacedBy: 'api key',
  },
  'fresh session': { session: 'required', verified: false, fresh: true, permission: null, replacedBy: null },
  'fresh session or invitation': {
    session: 'required',
    verified: false,
    fresh: true,
    permission: null,
    replacedBy: 'invitation',
  },
  staff: { session: 'required', verified: true, fresh: false, permission: 'staff', replacedBy: null },
  'fresh staff': { session: 'required', verified: true, fresh: true, permission: 'staff', replacedBy: null },
  organization: { session: 'required', verified: true, fresh: false, permission: 'organization', replacedBy: null },
  'fresh organization': {
    session: 'required',
    verified: true,
    fresh: true,
    permission: 'organization',
    replacedBy: null,
  },
  client: { session: 'required', verified: true, fresh: false, permission: 'client', replacedBy: null },
  'fresh client': { session: 'required', verified: true, fresh: true, permission: 'client', replacedBy: null },
}

/** @param access undefined for a request without a route, which any caller may send */
export function accessRuleOf(access: Access | undefined): AccessRule {
  if (access === undefined) return ACCESS_RULES.anyone
  if (typeof access === 'string') return ACCESS_RULES[access]
  if ('staff' in access) return access.fresh ? ACCESS_RULES['fresh staff'] : ACCESS_RULES.staff
  if ('client' in access) return access.fresh ? ACCESS_RULES['fresh client'] : ACCESS_RULES.client
  return access.fresh ? ACCESS_RULES['fresh organization'] : ACCESS_RULES.organization
}
