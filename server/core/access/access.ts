import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { PlatformContext } from '../../platform/context.ts'
import type { MemberRow, OrganizationRow } from '../../platform/database/tables.ts'
import { ApiError } from '../../platform/http/errors.ts'
import { accessRuleOf, type ClientAccess, type OrganizationAccess, type StaffAccess } from './access-rules.ts'
import { type Caller, isBodyless, isCheckedAgain } from './caller.ts'
import { assertFreshSession } from './freshness.ts'
import { assertOrganizationPermission, type RequiredOfMember } from './organization-permissions.ts'
import { assertStaffPermission, type StaffPermission } from './staff-permissions.ts'
import { assertSecondStep, assertSecondStepOfStaff } from './two-step-policy.ts'

export interface Membership {
  organization: OrganizationRow
  member: MemberRow
}

/** The permission that the route requires, which a use case authorizes again under its lock. */
export interface AuthorizedMembership extends Membership {
  permission: RequiredOfMember
  /** @throws ApiError TWO_FACTOR_REQUIRED where the route needs a fresh session and the organization a second step */
  assertSecondStepFor: (organization: OrganizationRow) => void
}

export interface AuthorizedStaff extends Caller {
  permission: StaffPermission
}

/** A member for a client of an organization, staff for a client of the service. */
export type ClientManager = AuthorizedMembership | AuthorizedStaff

declare module 'fastify' {
  interface FastifyRequest {
    /** Also set when the permission is refused, because the audit event names the organization. */
    membership: AuthorizedMembership | null
    /** The hash of the session token, if the route requires a session and no API key or invitation replaces it. */
    requiredTokenHash: string | null
  }
}

/** Functions of features, passed in because core must not import features. */
export interface RequestReaders {
  /** Whether the request names an invitation, a valid one or not. */
  namesInvitation: (request: FastifyRequest) => boolean
  /** @throws ApiError unless the caller is a member of the organization that the request names */
  getMembership: (caller: Caller, request: FastifyRequest, access: OrganizationAccess) => Promise<Membership>
  /** @returns undefined for a client of the service */
  resolveClientOwner: (caller: Caller, request: FastifyRequest) => Promise<Membership | undefined>
}

type AccessContext = Pick<PlatformContext, 'config' | 'now'>

/**
 * Authorizes every request before its body is read, and again after the body has arrived or the request has waited. A
 * permission may be lost in that time, and the body may name the organization or the invitation.
 */
export function enforceAccess(app: FastifyInstance, context: AccessContext, readers: RequestReaders): void {
  app.decorateRequest('membership', null)
  app.decorateRequest('requiredTokenHash', null)
  app.addHook('onRequest', (request, _reply, done) => {
    authorize(request, context, readers)
    done()
  })
  app.addHook('preValidation', (request, _reply, done) => {
    if (canNameInvitationInBody(request)) authorize(request, context, readers)
    done()
  })
  app.addHook('preHandler', (request, _reply, done) => {
    if (isCheckedAgain(request)) authorize(request, context, readers)
    const { permission } = accessRuleOf(request.routeOptions.config.access)
    if (permission !== 'organization' && permission !== 'client') return done()
    const authorized = permission === 'client' ? authorizeClientManager : authorizeMember
    const work = authorized(request, context, readers).then(() => done(), done)
    app.finishBeforeClose(work)
  })
}

function authorize(request: FastifyRequest, context: AccessContext, readers: RequestReaders): void {
  const { access, impersonated } = request.routeOptions.config
  const rule = accessRuleOf(access)
  if (impersonated === 'refused' && request.caller?.session.impersonatedBy) {
    throw new ApiError('IMPERSONATION_NOT_ALLOWED')
  }
  if (rule.session !== 'required') return
  if (rule.replacedBy === 'api key' && request.apiKey) return
  if (rule.replacedBy === 'invitation' && !request.caller && isInvitationPossible(request, readers)) return
  const caller = requireCaller(request)
  request.requiredTokenHash = caller.session.tokenHash
  if (rule.fresh) assertFreshSession(context, caller)
  if (rule.verified && !caller.user.emailVerified) throw new ApiError('EMAIL_NOT_VERIFIED')
  if (rule.permission === 'staff') {
    assertStaffPermission(caller.user.role, getAccess(request, 'staff').staff)
    assertSecondStepOfStaff(context.config, caller)
  }
}

async function authorizeMember(
  request: FastifyRequest,
  context: AccessContext,
  readers: RequestReaders,
): Promise<void> {
  const access = getAccess(request, 'organization')
  const membership = await readers.getMembership(requireCaller(request), request, access)
  authorizeMembership(request, context, membership, access.organization)
}

async function authorizeClientManager(
  request: FastifyRequest,
  context: AccessContext,
  readers: RequestReaders,
): Promise<void> {
  const permission = getAccess(request, 'client').client
  const caller = requireCaller(request)
  const membership = await readers.resolveClientOwner(caller, request)
  if (membership) return authorizeMembership(request, context, membership, permission)
  assertStaffPermission(caller.user.role, permission)
  assertSecondStepOfStaff(context.config, caller)
}

function authorizeMembership(
  request: FastifyRequest,
  { config }: AccessContext,
  membership: Membership,
  permission: RequiredOfMember,
): void {
  const caller = requireCaller(request)
  const { fresh } = accessRuleOf(request.routeOptions.config.access)
  const assertSecondStepFor = (organization: OrganizationRow) => {
    if (fresh) assertSecondStep(config, caller, organization)
  }
  // First, because the audit event of a refusal names the organization.
  request.membership = { ...membership, permission, assertSecondStepFor }
  assertOrganizationPermission(membership.member.role, permission)
  assertSecondStepFor(membership.organization)
}

function isInvitationPossible(request: FastifyRequest, { namesInvitation }: RequestReaders): boolean {
  const isBodyAwaited = canNameInvitationInBody(request) && request.body === undefined
  return isBodyAwaited || namesInvitation(request)
}

/** A client without cookies names its invitation in the body, so authorization waits for the body. */
function canNameInvitationInBody(request: FastifyRequest): boolean {
  return accessRuleOf(request.routeOptions.config.access).replacedBy === 'invitation' && !isBodyless(request)
}

/** @throws ApiError UNAUTHORIZED */
export function requireCaller(request: FastifyRequest): Caller {
  if (!request.caller) throw new ApiError('UNAUTHORIZED')
  return request.caller
}

export function requireStaff(request: FastifyRequest): AuthorizedStaff {
  return { ...requireCaller(request), permission: getAccess(request, 'staff').staff }
}

export function requireMembership(request: FastifyRequest): AuthorizedMembership {
  if (!request.membership) throw new Error('The route declares no organization permission')
  return request.membership
}

export function requireClientManager(request: FastifyRequest): ClientManager {
  return request.membership ?? { ...requireCaller(request), permission: getAccess(request, 'client').client }
}

interface AccessByKind {
  client: ClientAccess
  organization: OrganizationAccess
  staff: StaffAccess
}

function getAccess<Kind extends keyof AccessByKind>({ routeOptions }: FastifyRequest, kind: Kind): AccessByKind[Kind] {
  const { access } = routeOptions.config
  if (typeof access === 'object' && kind in access) return access as AccessByKind[Kind]
  throw new Error(`The route declares no access of the kind ${kind}`)
}
