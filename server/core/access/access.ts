import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { MemberRow, OrganizationRow } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { type Caller, isBodyless } from './caller.ts'
import type { RateLimitName } from './limits.ts'
import type { RequiredOfMember } from './organization-permissions.ts'
import { assertStaffPermission, type StaffPermission } from './staff-permissions.ts'

/** Who may call a route. Every route says so in its `config`; a route that does not stops the start. */
export type Access =
  /** Nobody is even recognised: what is the same for all, and must be answered without a look at the database. */
  | 'public'
  /** Whoever is signed in is recognised; whoever is not may call it too. */
  | 'anyone'
  | 'session'
  /** A session whose user has proved their address. */
  | 'verified session'
  /** The same; or, without a session, an organization's API key in x-api-key. */
  | 'verified session or api key'
  /** A session that was signed in, or confirmed by password, less than 15 minutes ago. */
  | 'fresh session'
  /** As above; or, without a session, a request that names an invitation. What that is worth is checked at use. */
  | 'fresh session or invitation'
  | OrganizationAccess
  /** A member of staff whose role grants this. */
  | { staff: StaffPermission; fresh?: true }

export interface OrganizationAccess {
  /** What the caller's role must grant; `membership` asks for no more than being a member, in whatever role. */
  organization: RequiredOfMember
  /** How the request names the organization: by the thing in it that it is about. Else itself, else the active one. */
  namedBy?: 'api key' | 'invitation'
  fresh?: true
}

export interface RouteAccess {
  access: Access
  rateLimit: RateLimitName
  /** Whether staff who act as somebody else may call it. */
  impersonated: 'allowed' | 'refused'
  /**
   * Whether pages of the origins in RETURN_TO_ORIGINS may call it with credentials. Without it, the route is for BASE_URL
   * and TRUSTED_ORIGINS alone.
   */
  otherOrigins?: 'allowed'
  /** Whether a request may carry several session tokens. To sign in or out, a client with a stale one must be able to. */
  credentials?: 'may disagree'
}

export interface Membership {
  organization: OrganizationRow
  member: MemberRow
}

/** With the permission that the route declares, so that a use case authorizes the same one again under its lock. */
export interface AuthorizedMembership extends Membership {
  permission: RequiredOfMember
}

/** A caller with the permission that the route declares. */
export interface AuthorizedStaff extends Caller {
  permission: StaffPermission
}

declare module 'fastify' {
  interface FastifyContextConfig extends Partial<RouteAccess> {}
  interface FastifyRequest {
    /** Set where the route's access names an organization's permission. */
    membership: AuthorizedMembership | null
  }
}

/** What the declarations mean is the features' business; they hand it in here. */
export interface Authorities {
  isFresh: (caller: Caller) => boolean
  /** Whether the request carries an invitation, be it good or not. */
  isInvited: (request: FastifyRequest) => boolean
  /** @throws ApiError when the permission is not granted */
  organization: (caller: Caller, access: OrganizationAccess, request: FastifyRequest) => Promise<AuthorizedMembership>
}

/**
 * The one place where access is enforced: before the body is read, and once more when it is there, with what the body
 * itself names.
 */
export function enforceAccess(app: FastifyInstance, authorities: Authorities): void {
  app.decorateRequest('membership', null)
  app.addHook('onRoute', requireDeclaration)
  app.addHook('onRequest', (request, _reply, done) => {
    refuseUnlessAllowed(request, authorities)
    done()
  })
  app.addHook('preValidation', (request, _reply, done) => {
    if (mayNameInvitationInBody(request)) refuseUnlessAllowed(request, authorities)
    done()
  })
  app.addHook('preHandler', (request, _reply, done) => {
    if (!isBodyless(request)) refuseUnlessAllowed(request, authorities)
    const { access } = declared(request)
    if (typeof access !== 'object' || !('organization' in access)) return done()
    authorities.organization(callerOf(request), access, request).then((membership) => {
      request.membership = membership
      done()
    }, done)
  })
}

function refuseUnlessAllowed(request: FastifyRequest, authorities: Authorities): void {
  const { access, impersonated } = declared(request)
  if (impersonated === 'refused' && request.caller?.session.impersonatedBy) {
    throw new ApiError('IMPERSONATION_NOT_ALLOWED')
  }
  if (access === undefined || access === 'public' || access === 'anyone') return
  if (access === 'fresh session or invitation' && !request.caller) {
    const isUndecided = mayNameInvitationInBody(request) && request.body === undefined
    if (isUndecided || authorities.isInvited(request)) return
  }
  if (access === 'verified session or api key' && request.apiKey) return
  const caller = callerOf(request)
  if (needsFreshSession(access) && !authorities.isFresh(caller)) throw new ApiError('SESSION_NOT_FRESH')
  if (needsProvenAddress(access) && !caller.user.emailVerified) throw new ApiError('EMAIL_NOT_VERIFIED')
  if (typeof access === 'object' && 'staff' in access) assertStaffPermission(caller.user.role, access.staff)
}

/** A client without cookies: its request is judged as soon as the body is there, before the schema looks at it. */
function mayNameInvitationInBody(request: FastifyRequest): boolean {
  return declared(request).access === 'fresh session or invitation' && !isBodyless(request)
}

/** The caller of a route whose access is not `anyone`. @throws ApiError UNAUTHORIZED when nobody is signed in */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new ApiError('UNAUTHORIZED')
  return request.caller
}

/** The membership of a route whose access names an organization permission. */
export function membershipOf(request: FastifyRequest): AuthorizedMembership {
  if (!request.membership) throw new Error('The route declares no organization permission')
  return request.membership
}

/** The caller of a route whose access names a staff permission. */
export function staffOf(request: FastifyRequest): AuthorizedStaff {
  const { access } = declared(request)
  if (typeof access !== 'object' || !('staff' in access)) throw new Error('The route declares no staff permission')
  return { ...callerOf(request), permission: access.staff }
}

/** Nobody gains power through an address that they have not proved to be theirs (CVE-2026-53514). */
function needsProvenAddress(access: Access): boolean {
  return access === 'verified session' || access === 'verified session or api key' || typeof access === 'object'
}

function needsFreshSession(access: Access): boolean {
  return (
    access === 'fresh session' ||
    access === 'fresh session or invitation' ||
    (typeof access === 'object' && access.fresh === true)
  )
}

function declared(request: FastifyRequest): Partial<RouteAccess> {
  return request.routeOptions.config
}

function requireDeclaration(route: RouteOptions): void {
  const { access, rateLimit, impersonated } = route.config ?? {}
  if (access !== undefined && rateLimit !== undefined && impersonated !== undefined) return
  throw new Error(`${route.method} ${route.url} does not declare its access, rateLimit and impersonated in its config`)
}
